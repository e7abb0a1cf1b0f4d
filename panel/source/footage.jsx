// The files that compositions need, and where each lies within what is sent. Files keep their place relative to the project, since that
// is where After Effects looks for them on another machine. Files too far from it go into a folder beside it, and a script points to them.

var PICTURES = ["png", "jpg", "jpeg", "tif", "tiff", "exr", "dpx", "cin", "tga", "bmp", "psd", "hdr", "sgi", "rla", "rpf", "pct", "iff", "gif"];
var NEAR = 3; // folders up from the project's, within which files keep their place

// footageOf lists the files of footage items: {item, file, sequence}. missing are the items whose file is not there.
function footageOf(items) {
    var found = {files: [], missing: []}, i, n, list;
    for (i = 0; i < items.length; i++) {
        list = filesOf(items[i]);
        if (list.length === 0) {
            found.missing.push(items[i]);
        }
        for (n = 0; n < list.length; n++) {
            found.files.push({id: items[i].id, file: list[n], sequence: list.length > 1});
        }
    }
    return found;
}

function filesOf(item) {
    var source = item.mainSource, file = source.file, list;
    if (item.footageMissing || !file) {
        return [];
    }
    if (folderAt(file.fsName).exists) {
        return picturesIn(folderAt(file.fsName), null);
    }
    if (!file.exists) {
        return [];
    }
    if (!source.isStill && (indexOf(PICTURES, extensionOf(file.fsName)) >= 0) && (extensionOf(file.fsName) !== "gif")) {
        list = picturesIn(folderAt(file.fsName).parent, sequencePattern(baseName(file.fsName)));
        if (list.length > 1) {
            return list;
        }
    }
    return [file];
}

// sequencePattern matches the names of a numbered sequence by one of them, null for a name without a number.
function sequencePattern(name) {
    var found = /^(.*?)([0-9]+)([^0-9]*)$/.exec(name);
    if (!found) {
        return null;
    }
    return new RegExp("^" + plainPattern(found[1]) + "[0-9]+" + plainPattern(found[3]) + "$", "i");
}

function plainPattern(text) {
    return text.replace(/[\\\^$.|?*+()\[\]{}\/\-]/g, "\\$&");
}

function picturesIn(folder, pattern) {
    var list = [], all, i, name;
    all = folder.getFiles();
    for (i = 0; i < all.length; i++) {
        name = baseName(all[i].fsName);
        if (!(all[i] instanceof Folder) && (pattern ? pattern.test(name) : (indexOf(PICTURES, extensionOf(name)) >= 0))) {
            list.push(all[i]);
        }
    }
    list.sort(function (a, b) {
        return a.fsName < b.fsName ? -1 : 1;
    });
    return list;
}

// pathSteps are the names along a path, those of a Windows share or drive included.
function pathSteps(path) {
    var parts = String(path).split(onWindows() ? /[\/\\]+/ : /\/+/), list = [], i;
    for (i = 0; i < parts.length; i++) {
        if (parts[i] !== "") {
            list.push(parts[i]);
        }
    }
    return list;
}

function sameStep(a, b) {
    return onWindows() ? a.toLowerCase() === b.toLowerCase() : a === b;
}

// plainName tells whether every system can have a file of that name.
function plainName(name) {
    return !/[\\:*?"<>|\u0000-\u001f]/.test(name) && !/[. ]$/.test(name);
}

// layOut gives the project and each file its name within what is sent. relinked are the first files of footage that a script has to point to.
function layOut(project, files) {
    var home = pathSteps(project.fsName), ups = 0, folder, i, n, steps, common, entry, entries, relinked = [], seen = {}, beside, key;
    home.pop();
    for (i = 0; i < files.length; i++) {
        steps = pathSteps(files[i].file.fsName);
        common = 0;
        while ((common < home.length) && (common < steps.length - 1) && sameStep(home[common], steps[common])) {
            common++;
        }
        files[i].steps = steps;
        files[i].common = common;
        files[i].near = (common >= Math.min(2, home.length)) && (home.length - common <= NEAR);
        for (n = common; n < steps.length; n++) {
            files[i].near = files[i].near && plainName(steps[n]);
        }
        if (files[i].near) {
            ups = Math.max(ups, home.length - common);
        }
    }
    folder = home.slice(home.length - ups);
    for (i = 0; i < folder.length; i++) {
        if (!plainName(folder[i])) {
            folder = [];
            ups = 0;
            break;
        }
    }
    entries = [{file: project, name: folder.concat([safeName(baseName(project.fsName))]).join("/"), project: true}];
    for (i = 0; i < files.length; i++) {
        entry = files[i];
        steps = entry.steps.slice(home.length - ups);
        if (entry.near && (entry.common >= home.length - ups)) {
            beside = "";
            entry.name = steps.join("/");
        } else {
            beside = "(Footage)/" + entry.id + "/" + safeName(baseName(entry.file.fsName));
            entry.name = folder.concat([beside]).join("/");
        }
        key = entry.name.toLowerCase();
        if (beside && !seen["item " + entry.id]) {
            seen["item " + entry.id] = true;
            relinked.push({id: entry.id, name: beside, sequence: entry.sequence});
        }
        if (!has(seen, key)) {
            seen[key] = true;
            entries.push(entry);
        }
    }
    return {entries: entries, relinked: relinked};
}

function safeName(name) {
    var safe = name.replace(/[\\\/:*?"<>|\u0000-\u001f]/g, "_").replace(/[. ]+$/, "");
    return safe === "" ? "_" : safe;
}

// relinkScript is a script for the machine that renders: it points items of the project to their files.
function relinkScript(relinked) {
    var lines = ["(function () {", "var home = app.project.file.parent.absoluteURI + \"/\", item, file;"], i;
    for (i = 0; i < relinked.length; i++) {
        lines.push("item = app.project.itemByID(" + relinked[i].id + ");");
        lines.push("file = new File(home + " + jsonText(encodeURI(fromUTF8(toUTF8(relinked[i].name)))) + ");");
        lines.push("if (item && file.exists) { item." + (relinked[i].sequence ? "replaceWithSequence(file, false)" : "replace(file)") + "; }");
    }
    lines.push("})();");
    return lines.join("\n") + "\n";
}
