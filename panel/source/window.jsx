// The window: its ScriptUI controls, and what a click calls in the other parts.

// openPanel fills After Effects' dockable panel, or a palette where the script was started from the menu File, Scripts.
function openPanel(host) {
    var view = drawPanel(host instanceof Panel ? host : new Window("palette", "Overcrank", undefined, {resizeable: true}));
    runPanel(view);
    if (view.window instanceof Window) {
        view.window.center();
        view.window.show();
    }
}

function row(parent, label) {
    var group = parent.add("group"), words;
    group.orientation = "row";
    group.alignment = ["fill", "top"];
    if (label) {
        words = group.add("statictext", undefined, label);
        words.preferredSize.width = 80;
    }
    return group;
}

function choice(parent, label, choices) {
    var list = row(parent, label).add("dropdownlist", undefined, texts(choices));
    list.selection = 0;
    list.alignment = ["fill", "center"];
    return list;
}

function button(parent, label, tip) {
    var made = parent.add("button", undefined, label);
    made.helpTip = tip;
    return made;
}

function drawPanel(window) {
    var view = {window: window}, group;
    window.orientation = "column";
    window.alignChildren = ["fill", "top"];
    group = row(window);
    view.where = group.add("statictext", undefined, "", {truncate: "middle"});
    view.where.alignment = ["fill", "center"];
    view.again = button(group, "Refresh", "Read the project's compositions again");
    view.setUp = button(group, "Settings", "The farm's address and your token");
    view.compositions = window.add("listbox", undefined, [], {multiselect: true});
    view.compositions.alignment = ["fill", "fill"];
    view.compositions.preferredSize.height = 140;
    group = row(window, "Title");
    view.title = group.add("edittext", undefined, "");
    view.title.alignment = ["fill", "center"];
    view.title.helpTip = "The project's name on the farm. Leave empty for the project file's name";
    view.format = choice(window, "Output", FORMATS);
    group = row(window, "Range");
    view.range = group.add("dropdownlist", undefined, texts(RANGES));
    view.range.selection = 0;
    view.frames = group.add("edittext", undefined, "");
    view.frames.alignment = ["fill", "center"];
    view.frames.helpTip = "For the range Frames, such as 12 or 12-40. The composition's first frame is 0";
    view.level = choice(window, "Level", LEVELS);
    group = row(window, "Priority");
    view.priority = group.add("edittext", undefined, "0");
    view.priority.characters = 6;
    view.split = choice(window, "Split", SPLITS);
    view.engine = choice(window, "Rendered by", ENGINES);
    group = row(window);
    view.reduce = group.add("checkbox", undefined, "Reduce");
    view.reduce.helpTip = "Send a copy of the project with only what the compositions need. Your project is opened again afterwards";
    view.preview = group.add("checkbox", undefined, "Preview");
    view.preview.helpTip = "Half size and draft quality";
    view.hold = group.add("checkbox", undefined, "Hold");
    view.hold.helpTip = "Keep the job waiting until somebody releases it";
    group = row(window);
    view.check = button(group, "Check", "Show what may go wrong, without sending files");
    view.send = button(group, "Send", "Render the selected compositions on the farm");
    view.template = button(group, "As template", "Store the project on the farm as a template for forms and tables");
    view.stop = button(group, "Cancel", "Stop what the panel is doing");
    view.progress = window.add("progressbar", undefined, 0, 100);
    view.says = window.add("statictext", undefined, "", {multiline: true});
    view.says.preferredSize.height = 60;
    view.jobs = window.add("listbox", undefined, [], {numberOfColumns: 2, showHeaders: true, columnTitles: ["Job", "State"]});
    view.jobs.preferredSize.height = 90;
    group = row(window);
    view.download = button(group, "Download", "Save the results of finished jobs into a folder");
    view.cancelJobs = button(group, "Cancel jobs", "Cancel all jobs in this list");
    window.layout.layout(true);
    window.onResizing = function () {
        window.layout.resize();
    };
    window.onResize = window.onResizing;
    return view;
}

// runPanel connects the controls with what they do.
function runPanel(view) {
    var shown = [], jobs = [], work = null, following = null;

    function say(text) {
        view.says.text = text;
    }

    function showProgress(done, total) {
        view.progress.value = total > 0 ? Math.min(100, 100 * done / total) : 0;
    }

    function busy(now) {
        view.check.enabled = !now;
        view.send.enabled = !now;
        view.template.enabled = !now;
        view.stop.enabled = now;
        if (!now) {
            work = null;
            showProgress(0, 0);
        }
    }

    function refresh() {
        var i, item, any = false;
        shown = compositions();
        view.compositions.removeAll();
        for (i = 0; i < shown.length; i++) {
            item = view.compositions.add("item", shown[i].name);
            item.selected = shown[i].queued;
            any = any || shown[i].queued;
        }
        for (i = 0; !any && (i < shown.length); i++) {
            view.compositions.items[i].selected = shown[i].selected;
        }
        view.where.text = knownFarm().server || "No farm yet. Click Settings";
    }

    function fields(asTemplate) {
        var chosen = [], i;
        for (i = 0; i < shown.length; i++) {
            if (view.compositions.items[i].selected) {
                chosen.push(shown[i]);
            }
        }
        return {
            chosen: chosen, title: view.title.text, format: view.format.selection.index, range: view.range.selection.index, frames: view.frames.text,
            level: view.level.selection.index, priority: view.priority.text, split: view.split.selection.index, engine: view.engine.selection.index,
            preview: view.preview.value, hold: view.hold.value, reduce: view.reduce.value, template: asTemplate
        };
    }

    function findingsText(list) {
        var lines = [], i;
        for (i = 0; i < list.length; i++) {
            lines.push((list[i].stop ? "Stop: " : "Note: ") + list[i].text);
        }
        return lines.join("\n");
    }

    function guarded(run) {
        return function () {
            try {
                run();
            } catch (error) {
                busy(false);
                say(errorText(error));
            }
        };
    }

    function showJobs() {
        var i, line;
        view.jobs.removeAll();
        for (i = 0; i < jobs.length; i++) {
            line = view.jobs.add("item", jobs[i].name);
            line.subItems[0].text = statusText(jobs[i]);
        }
    }

    function follow() {
        if (following) {
            following.cancel();
        }
        following = followJobs(knownFarm(), jobs, showJobs, function (error) {
            say("The farm does not answer, trying again: " + errorText(error));
        });
    }

    function send(asTemplate) {
        var plan = planOf(knownFarm(), fields(asTemplate));
        busy(true);
        work = submitProject(plan, function (state) {
            say(state.text);
            showProgress(state.done, state.total);
        }, function (error, result) {
            var words = findingsText(result.findings);
            busy(false);
            if (error) {
                say(errorText(error));
            } else if (words !== "") {
                say(view.says.text + "\n" + words);
            }
            if (result.jobs.length > 0) {
                jobs = result.jobs.concat(jobs);
                showJobs();
                follow();
            }
            refresh();
        });
    }

    view.again.onClick = guarded(refresh);
    view.setUp.onClick = guarded(function () {
        if (settingsDialog()) {
            refresh();
            say("Asking the farm");
            // No turn runs while a dialog is open, so the farm is asked after it has closed.
            ask(knownFarm(), "GET", "/api/farm/v1/me", null, function (error, me) {
                say(error ? errorText(error) : "Connected as " + me.name + " (" + me.role + ") of " + me.team.name);
            });
        }
    });
    view.send.onClick = guarded(function () {
        send(false);
    });
    view.template.onClick = guarded(function () {
        send(true);
    });
    view.check.onClick = guarded(function () {
        var asked = fields(false), looked, ids = [], i, engine = ENGINES[asked.engine].engine;
        for (i = 0; i < asked.chosen.length; i++) {
            ids.push(asked.chosen[i].id);
        }
        looked = checkProject(ids, false);
        say(findingsText(looked.findings));
        if (!looked.used || (knownFarm().token === "")) {
            return;
        }
        busy(true);
        work = askFarm(knownFarm(), [], looked.used, engine, function (error, said) {
            var list = error ? [finding(true, errorText(error))] : looked.findings.concat(farmFindings(said, engine));
            busy(false);
            say(list.length === 0 ? "No problems found" : findingsText(list));
        });
    });
    view.stop.onClick = guarded(function () {
        if (work && work.cancel) {
            work.cancel();
        }
        busy(false);
    });
    view.cancelJobs.onClick = guarded(function () {
        cancelJobs(knownFarm(), jobs, function (error) {
            if (error) {
                say(errorText(error));
            }
        });
    });
    view.download.onClick = guarded(function () {
        var folder = Folder.selectDialog("Where should the results go?"), ready = [], i;
        if (!folder) {
            return;
        }
        for (i = 0; i < jobs.length; i++) {
            if ((jobs[i].status === "finished") && !jobs[i].saved) {
                ready.push(jobs[i]);
            }
        }
        busy(true);
        eachOf(ready, function (job, number, next) {
            say("Downloading " + job.name);
            work = saveResult(knownFarm(), job, folder, showProgress, function (error) {
                showJobs();
                next(error);
            });
        }, function (error) {
            busy(false);
            say(error ? errorText(error) : (ready.length === 0 ? "No finished job to download" : plural(ready.length, "result") + " saved"));
        });
    });
    if (view.window instanceof Window) {
        view.window.onClose = function () {
            if (following) {
                following.cancel();
            }
            if (work && work.cancel) {
                work.cancel();
            }
            forgetScratch();
        };
    }
    $.global[PANEL].fault = function (error) {
        busy(false);
        say("The panel failed: " + errorText(error));
    };
    busy(false);
    guarded(refresh)();
}

// settingsDialog asks for the farm and saves what is entered.
function settingsDialog() {
    var farm = knownFarm(), dialog = new Window("dialog", "Overcrank: settings"), server, token, authority, group, choose, says, keep;
    dialog.orientation = "column";
    dialog.alignChildren = ["fill", "top"];
    group = row(dialog, "Farm");
    server = group.add("edittext", undefined, farm.server);
    server.characters = 40;
    server.helpTip = "The farm's address, such as https://farm.studio:8443";
    group = row(dialog, "Token");
    token = group.add("edittext", undefined, farm.token, {noecho: true});
    token.characters = 40;
    token.helpTip = "Create it on the dashboard: Settings, API tokens, role artist";
    group = row(dialog, "Certificate");
    authority = group.add("edittext", undefined, farm.authority);
    authority.characters = 32;
    authority.helpTip = "The certificate of the farm's own authority (.pem), if it has one";
    choose = group.add("button", undefined, "Choose");
    choose.onClick = function () {
        var file = File.openDialog("The farm's certificate");
        if (file) {
            authority.text = file.fsName;
        }
    };
    says = dialog.add("statictext", undefined, "Version " + VERSION, {multiline: true});
    says.preferredSize.height = 40;
    group = row(dialog);
    keep = group.add("button", undefined, "Save and test", {name: "ok"});
    keep.onClick = function () {
        keepFarm({server: server.text, token: token.text, authority: authority.text});
        dialog.close(1);
    };
    group.add("button", undefined, "Cancel", {name: "cancel"});
    return dialog.show() === 1;
}
