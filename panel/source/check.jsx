// Checks before anything is sent. A finding is {stop, text}: with stop the project cannot be sent as it is.

function finding(stop, text) {
    return {stop: stop, text: text};
}

// checkProject looks at the open project alone. ids are the chosen compositions.
function checkProject(ids, asTemplate) {
    var list = [], used, footage, names = [], twins = [], lost = [], i, item, layout, allowed = mayWork();
    if (allowed !== "") {
        list.push(finding(true, allowed));
    }
    if (!app.project.file) {
        list.push(finding(true, "The project has not been saved yet. Save it first"));
        return {findings: list, used: null, footage: null};
    }
    if (app.project.dirty) {
        list.push(finding(false, "The project has unsaved changes. They are saved when you send it"));
    }
    if (ids.length === 0) {
        list.push(finding(true, "No composition is selected"));
    }
    used = usedBy(ids);
    footage = footageOf(used.files);
    for (i = 0; i < ids.length; i++) {
        item = itemOf(ids[i]);
        if (indexOf(names, item.name) >= 0) {
            twins.push(item.name);
        }
        names.push(item.name);
    }
    twins = twins.concat(otherwiseNamed(ids));
    if (twins.length > 0) {
        list.push(finding(true, "Several compositions have the same name, and the farm finds them by name. Rename: " + listText(twins)));
    }
    for (i = 0; i < footage.missing.length; i++) {
        lost.push(footage.missing[i].name);
    }
    if (lost.length > 0) {
        list.push(finding(true, "Footage is missing: " + listText(lost) + ". Relink it with File, Dependencies, Find Missing Footage"));
    }
    layout = layOut(app.project.file, footage.files);
    if (layout.relinked.length > 0) {
        list.push(finding(false, plural(layout.relinked.length, "file") + " of footage outside the project's folder: " + (asTemplate ?
            "jobs of a template do not find them. Collect the project's files first" :
            "a script relinks them on the farm, so each composition is rendered by one machine")));
    }
    lost = substituted();
    if (lost.length > 0) {
        list.push(finding(false, "Fonts are missing on this machine too: " + listText(lost)));
    }
    return {findings: list, used: used, footage: footage};
}

// otherwiseNamed are names of selected compositions that other compositions have too.
function otherwiseNamed(ids) {
    var all = compositions(), twins = [], i, n;
    for (i = 0; i < all.length; i++) {
        for (n = 0; n < all.length; n++) {
            if ((all[i].name === all[n].name) && (all[i].id !== all[n].id) && (indexOf(ids, all[i].id) >= 0) && (indexOf(ids, all[n].id) < 0) && (indexOf(twins, all[i].name) < 0)) {
                twins.push(all[i].name);
            }
        }
    }
    return twins;
}

// farmFindings turns the farm's answer about fonts, effects and machines into findings.
function farmFindings(said, engine) {
    var list = [], fonts = [], effects = [], i;
    if (said.machines === 0) {
        list.push(finding(false, "No machine has joined the farm yet: the job waits for one"));
        return list;
    }
    for (i = 0; i < said.fonts.length; i++) {
        if (!said.fonts[i].library && (said.fonts[i].machines === 0)) {
            fonts.push(said.fonts[i].name);
        }
    }
    if (fonts.length > 0) {
        list.push(finding(false, "No machine of the farm has " + (fonts.length === 1 ? "the font " : "the fonts ") + listText(fonts) + ". Add them under Settings, Fonts"));
    }
    for (i = 0; i < said.effects.length; i++) {
        if (!said.effects[i].own && (said.effects[i].machines === 0)) {
            effects.push(said.effects[i].name);
        }
    }
    if (effects.length > 0) {
        list.push(finding(false, "No machine of the farm has " + (effects.length === 1 ? "the effect " : "the effects ") + listText(effects)));
    }
    if ((engine !== "") && (said.engineMachines === 0)) {
        list.push(finding(false, "No machine of the farm has the chosen version of After Effects: the job waits for one"));
    }
    return list;
}

// askFarm asks which files, fonts and effects the farm has. Many files are asked for in several requests.
var FILES_ASKED = 1000;

function askFarm(farm, entries, used, engine, done) {
    var asked = [], i, part, said = null;
    for (i = 0; (i === 0) || (i < entries.length); i += FILES_ASKED) {
        asked.push(entries.slice(i, i + FILES_ASKED));
    }
    eachOf(asked, function (list, number, next) {
        var body = {files: [], fonts: number === 0 ? used.fonts : [], effects: number === 0 ? used.effects : []}, n;
        if (engine !== "") {
            body.engine = engine;
        }
        for (n = 0; n < list.length; n++) {
            body.files.push({sha256: list[n].sha256, size: list[n].size});
        }
        ask(farm, "POST", "/api/farm/v1/preflight", body, function (error, value) {
            if (error) {
                next(error);
                return;
            }
            for (part = 0; part < list.length; part++) {
                list[part].src = value.files[part].src;
            }
            said = said || value;
            next(null);
        });
    }, function (error) {
        done(error, said);
    });
}
