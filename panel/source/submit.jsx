// Sending the project: save, hash, ask which files the farm has, send the others, have the farm assemble the template, create the jobs. Files that the farm
// has are not sent again, so sending after an interruption continues where it stopped.
//
// A plan has: farm, ids and names (of compositions), title, template (true for a template alone), reduce, job (fields of each job), range
// (null for the work area, "all", or [first, last]). watch(state) gets {phase, text, done, total}; done gets an error or the result.

var TRIES = 3;                 // of sending one file
var TEMPLATES_KEPT = 50;       // whose archives are remembered
var READING_MS = 15 * 60000;   // for the farm to read the project

function submitProject(plan, watch, done) {
    var work = null, stopped = false, copy = null, entries, layout, used, title, result = {findings: [], jobs: [], template: ""}, requestKey = randomText(24);

    function say(phase, text, finished, total) {
        watch({phase: phase, text: text, done: finished || 0, total: total || 0});
    }

    function end(error) {
        if (copy) {
            copy.remove();
            copy = null;
        }
        work = null;
        if (!stopped) {
            stopped = true;
            done(error, result);
        }
    }

    // then runs a step in the next turn; what it throws ends the submission.
    function then(step) {
        if (stopped) {
            return;
        }
        work = every(function () {
            step();
            return true;
        }, end);
        work.cancel = function () {
            this.stopped = true;
        };
    }

    function prepare() {
        var looked = checkProject(plan.ids, plan.template), i;
        for (i = 0; i < looked.findings.length; i++) {
            if (looked.findings[i].stop) {
                throw problem(looked.findings[i].text);
            }
        }
        say("save", "Saving the project");
        saveProject();
        used = looked.used;
        title = plan.title || stem(baseName(app.project.file.fsName));
        layout = layOut(app.project.file, looked.footage.files);
        entries = layout.entries;
        if (plan.reduce) {
            say("save", "Saving a reduced copy");
            copy = reducedCopy(plan.ids);
            entries[0].file = copy;
        }
        addRelinking();
        then(hash);
    }

    // addRelinking adds the script that points to footage far from the project; a template cannot bring one.
    function addRelinking() {
        var file;
        if (plan.template || (layout.relinked.length === 0)) {
            return;
        }
        file = fileAt(workFolder().fsName + "/relink.jsx");
        writeText(file, relinkScript(layout.relinked));
        entries.push({file: file, name: "relink.jsx", script: true});
    }

    function hash() {
        work = hashFiles(entries, function (bytes, total) {
            say("hash", "Hashing files", bytes, total);
        }, function (error) {
            if (error) {
                end(error);
            } else {
                then(preflight);
            }
        });
    }

    function preflight() {
        say("ask", "Asking the farm");
        askFarm(plan.farm, entries, used, (plan.job.settings && plan.job.settings.engine) || "", function (error, said) {
            if (error) {
                end(error);
                return;
            }
            result.findings = farmFindings(said, (plan.job.settings && plan.job.settings.engine) || "");
            then(upload);
        });
    }

    function upload() {
        var lacking = [], total = 0, sent = 0, i;
        for (i = 0; i < entries.length; i++) {
            if (!entries[i].src) {
                lacking.push(entries[i]);
                total += entries[i].size;
            }
        }
        result.sent = {files: lacking.length, bytes: total, of: entries.length};
        eachOf(lacking, function (entry, number, next) {
            if (stopped) {
                return;
            }
            sendFile(entry, 1, function (bytes) {
                say("upload", "Sending " + baseName(entry.name) + " (" + (number + 1) + " of " + lacking.length + ")", sent + bytes, total);
            }, function (error) {
                sent += entry.size;
                next(error);
            });
        }, function (error) {
            if (error) {
                end(error);
            } else {
                then(assemble);
            }
        });
    }

    function sendFile(entry, attempt, progress, next) {
        if (entry.src) {
            next(null); // it has been sent under another name
            return;
        }
        progress(0);
        if (stopped) {
            return;
        }
        work = handOver(plan.farm, entry.file, baseName(entry.name), progress, function (error, kept) {
            // The farm would refuse the same file again; a broken connection may work the next time.
            if (error && ((error.status === 0) || (error.status === 429) || (error.status >= 500)) && (attempt < TRIES)) {
                work = after(1000 * Math.pow(4, attempt - 1), function () {
                    sendFile(entry, attempt + 1, progress, next);
                });
                work.cancel = function () {
                    this.stopped = true;
                };
                return;
            }
            if (!error && (kept.sha256 !== entry.sha256)) {
                error = problem(entry.file.fsName + " changed while it was sent: send it again");
            }
            if (!error) {
                shareSource(entry.sha256, kept.src);
            }
            next(error);
        });
    }

    function shareSource(sha256, src) {
        for (var i = 0; i < entries.length; i++) {
            if (entries[i].sha256 === sha256) {
                entries[i].src = src;
            }
        }
    }

    function assemble() {
        var files = [], sum = newSHA256(), key, known, i;
        for (i = 0; i < entries.length; i++) {
            if (!entries[i].script) {
                files.push({name: entries[i].name, src: entries[i].src});
                sum.add(toUTF8(entries[i].name) + "\n" + entries[i].sha256 + "\n");
            }
        }
        sum.add(toUTF8(plan.farm.server + "\n" + title));
        key = sum.sum();
        known = remembered("templates");
        if (has(known, key) && !plan.template) {
            ask(plan.farm, "GET", "/api/v2/templates/" + encodeURIComponent(known[key].id), null, function (error, template) {
                if (!error && (template.status === "uploaded")) {
                    result.template = template.id;
                    then(order);
                } else {
                    makeTemplate(files, key);
                }
            });
            return;
        }
        makeTemplate(files, key);
    }

    function makeTemplate(files, key) {
        if (stopped) {
            return;
        }
        say("assemble", "The farm is assembling the project");
        work = ask(plan.farm, "POST", "/api/farm/v1/templates", {displayName: title, files: files}, function (error, template) {
            var known;
            if (error) {
                end(error);
                return;
            }
            result.template = template.id;
            known = remembered("templates");
            known[key] = {id: template.id, at: now()};
            remember("templates", known, TEMPLATES_KEPT);
            waitForReading(now());
        }, requestKey + "-template");
    }

    // waitForReading waits until the farm has read the project, so that a problem with it is shown here and not by a failed job.
    function waitForReading(since) {
        if (stopped) {
            return;
        }
        say("read", "The farm is reading the project");
        work = ask(plan.farm, "GET", "/api/v2/templates/" + encodeURIComponent(result.template), null, function (error, template) {
            if (error || (template.status === "error")) {
                end(error || problem("The farm cannot read the project: " + template.error));
                return;
            }
            if ((template.status !== "uploaded") && (now() - since < READING_MS)) {
                work = after(500, function () {
                    waitForReading(since);
                });
                work.cancel = function () {
                    this.stopped = true;
                };
                return;
            }
            if (plan.template) {
                say("done", "The template \"" + title + "\" is ready");
                end(null);
            } else {
                then(order);
            }
        });
    }

    function order() {
        var jobs = [], i;
        for (i = 0; i < plan.names.length; i++) {
            jobs.push(jobOf(plan, i, result.template, relinkSource()));
        }
        say("order", "Creating " + plural(jobs.length, "job"));
        if (jobs.length === 1) {
            work = ask(plan.farm, "POST", "/api/v2/jobs?strict=true", jobs[0], function (error, job) {
                ordered(error, error ? [] : [job]);
            }, requestKey + "-job");
        } else {
            work = ask(plan.farm, "POST", "/api/v2/batches?strict=true", {jobs: jobs}, function (error, batch) {
                ordered(error || batchError(batch), error ? [] : batch.jobs);
            }, requestKey + "-jobs");
        }
    }

    function relinkSource() {
        for (var i = 0; i < entries.length; i++) {
            if (entries[i].script) {
                return entries[i].src;
            }
        }
        return "";
    }

    function ordered(error, jobs) {
        var i;
        for (i = 0; i < jobs.length; i++) {
            result.jobs.push({id: jobs[i].id, name: plan.names[jobs[i].index || 0], status: jobs[i].status, progress: 0, outputUrl: jobs[i].outputUrl, error: ""});
            result.findings = result.findings.concat(warningsOf(jobs[i]));
        }
        if (!error) {
            say("done", plural(jobs.length, "job") + " created");
        }
        end(error);
    }

    then(prepare);
    return {
        cancel: function () {
            stopped = true;
            if (work) {
                work.cancel();
            }
            end(null);
            say("cancelled", "Cancelled. Files that were sent are kept on the farm for the next time");
        }
    };
}

// jobOf is the job of one composition.
function jobOf(plan, number, template, relink) {
    var job = {}, key;
    for (key in plan.job) {
        if (has(plan.job, key)) {
            job[key] = plan.job[key];
        }
    }
    job.template = {id: template, composition: plan.names[number]};
    job.name = plan.names.length === 1 ? plan.title || plan.names[number] : (plan.title ? plan.title + ": " : "") + plan.names[number];
    job.settings = {};
    for (key in plan.job.settings) {
        if (has(plan.job.settings, key)) {
            job.settings[key] = plan.job.settings[key];
        }
    }
    if (plan.range === "all") {
        job.settings.frames = [0, plan.frames[number] - 1];
    } else if (plan.range || plan.workAreas) {
        job.settings.frames = plan.range || plan.workAreas[number];
    }
    if (plan.job.preview) {
        delete job.settings;
    }
    if (relink !== "") {
        job.assets = [{type: "script", name: "relink.jsx", src: relink}];
    }
    return job;
}

function batchError(batch) {
    var texts = [], i;
    for (i = 0; i < (batch.errors || []).length; i++) {
        texts.push(refusalText(400, batch.errors[i]));
    }
    return texts.length === 0 ? null : problem(plural(texts.length, "composition") + " refused: " + listText(texts), 400);
}

function warningsOf(job) {
    var list = [], i;
    for (i = 0; i < (job.warnings || []).length; i++) {
        list.push(finding(false, job.warnings[i]));
    }
    if ((job.missingFonts || []).length > 0) {
        list.push(finding(false, "The farm lacks fonts: " + listText(job.missingFonts)));
    }
    return list;
}
