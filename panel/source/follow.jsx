// Jobs that were sent: their progress, why one failed, and their results.

var LOOK_EVERY = 2000;   // milliseconds between two requests for a job
var LOOK_AGAIN = 15000;  // after a failed request: the farm may be restarting

function hasEnded(job) {
    return (job.status === "finished") || (job.status === "error") || (job.status === "manually_cancelled");
}

// statusText is the state of a job for people.
function statusText(job) {
    if (job.status === "finished") {
        return job.saved ? "Finished, saved" : "Finished";
    }
    if (job.status === "error") {
        return "Failed: " + job.error;
    }
    if (job.status === "manually_cancelled") {
        return "Cancelled";
    }
    if (job.status === "render:dorender") {
        return "Rendering, " + Math.floor(job.progress) + " %";
    }
    return "Waiting";
}

// followJobs follows jobs until all have ended. It calls changed(job) after each answer, and lost(error) when the farm did not answer; then it tries again.
function followJobs(farm, jobs, changed, lost) {
    var stopped = false, work = null;

    function open() {
        var list = [], i;
        for (i = 0; i < jobs.length; i++) {
            if (!hasEnded(jobs[i])) {
                list.push(jobs[i]);
            }
        }
        return list;
    }

    function round() {
        var pause = LOOK_EVERY;
        eachOf(open(), function (job, number, next) {
            if (stopped) {
                return;
            }
            work = ask(farm, "GET", "/api/v2/jobs/" + encodeURIComponent(job.id), null, function (error, value) {
                if (error) {
                    pause = LOOK_AGAIN;
                    if (error.status === 404) {
                        job.status = "error";
                        job.error = "the farm no longer has this job";
                        changed(job);
                    } else {
                        lost(error);
                    }
                } else {
                    job.status = value.status;
                    job.progress = value.progress || 0;
                    job.outputUrl = value.outputUrl || job.outputUrl;
                    job.error = (value.stats && value.stats.error) || "";
                    job.output = value.output || null;
                    changed(job);
                }
                next(null);
            });
        }, function () {
            if (!stopped && (open().length > 0)) {
                work = after(pause, round);
                work.cancel = function () {
                    this.stopped = true;
                };
            }
        });
    }

    round();
    return {
        cancel: function () {
            stopped = true;
            if (work) {
                work.cancel();
            }
        }
    };
}

// cancelJobs cancels jobs that have not ended, those that render included.
function cancelJobs(farm, jobs, done) {
    var ids = [], i;
    for (i = 0; i < jobs.length; i++) {
        if (!hasEnded(jobs[i])) {
            ids.push(jobs[i].id);
        }
    }
    if (ids.length === 0) {
        done(null);
        return;
    }
    ask(farm, "POST", "/api/v2/jobs/cancel?force=true", {jobs: ids}, done);
}

// RESULTS are the extensions of results. A file with any other, such as a program's, is not called what its address says.
var RESULTS = /^(mp4|mov|mxf|webm|mkv|avi|gif|png|jpg|jpeg|tif|tiff|exr|dpx|tga|psd|wav|aif|aiff|mp3|m4a|aac|zip|tar|json|txt|pdf)$/;

function resultExtension(url) {
    var extension = extensionOf(url.replace(/[?#].*$/, ""));
    return RESULTS.test(extension) ? extension : "bin";
}

// saveResult downloads the result of a job into a folder. It gets its name only when it is complete, and replaces no file.
function saveResult(farm, job, folder, progress, done) {
    var name, part, work = null, stopped = false;
    if (!folder.exists && !folder.create()) {
        done(problem("Cannot make the folder " + folder.fsName + ": " + folder.error));
        return {cancel: function () {}};
    }
    name = safeName(job.name) + "." + resultExtension(job.outputUrl);
    part = fileAt(folder.fsName + "/" + safeName(job.name) + "." + randomText(6) + ".part");

    function fail(error) {
        part.remove();
        if (!stopped) {
            done(error);
        }
    }

    work = fetchFile(farm, job.outputUrl, part, progress, function (error) {
        var entry = {file: part};
        if (error) {
            fail(error);
            return;
        }
        work = hashFiles([entry], function () {}, function (wrong) {
            if (!wrong && job.output && job.output.sha256 && (entry.sha256 !== job.output.sha256)) {
                wrong = problem("The download was damaged: download it again");
            }
            if (!wrong && !part.rename(freeName(folder, name))) {
                wrong = problem("Cannot write " + name + ": " + part.error);
            }
            if (wrong) {
                fail(wrong);
                return;
            }
            job.saved = part.fsName;
            done(null, part);
        });
    });
    return {
        cancel: function () {
            stopped = true;
            work.cancel();
            part.remove();
        }
    };
}

// freeName is a name that no file of a folder has: "film.mp4", "film 2.mp4".
function freeName(folder, name) {
    var number = 1, tried = name;
    while (fileAt(folder.fsName + "/" + tried).exists) {
        number++;
        tried = stem(name) + " " + number + "." + extensionOf(name);
    }
    return tried;
}
