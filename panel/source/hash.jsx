// Hashes of files, by which the farm knows what it has. The system's program computes them beside After Effects: certutil of Windows,
// shasum of macOS. Files that have not changed since are not read again.

var HASHES_AT_ONCE = 200;  // files for one run of the system's program
var HASHES_KEPT = 5000;    // of files that were read before
var HASH_PIECE = 65536;    // bytes that ExtendScript takes at once

function fileKey(file) {
    return file.fsName + "|" + file.length + "|" + (file.modified ? file.modified.getTime() : 0);
}

// hashFiles gives each entry of a list, which has a file, its sha256 and its size. progress gets bytes.
function hashFiles(entries, progress, done) {
    var table = remembered("hashes"), unknown = [], total = 0, finished = 0, work = null, stopped = false, i, entry;
    for (i = 0; i < entries.length; i++) {
        entry = entries[i];
        entry.size = entry.file.length;
        entry.key = fileKey(entry.file);
        total += entry.size;
        if (has(table, entry.key) && /^[0-9a-f]{64}$/.test(table[entry.key].sha256)) {
            entry.sha256 = table[entry.key].sha256;
            table[entry.key].at = now();
            finished += entry.size;
        } else {
            unknown.push(entry);
        }
    }

    function keep(list) {
        for (var n = 0; n < list.length; n++) {
            finished += list[n].size;
            table[list[n].key] = {sha256: list[n].sha256, at: now()};
        }
        progress(finished, total);
    }

    function end(error) {
        work = null;
        remember("hashes", table, HASHES_KEPT);
        done(error);
    }

    function next() {
        var list = unknown.splice(0, HASHES_AT_ONCE);
        if (stopped) {
            return;
        }
        if (list.length === 0) {
            end(null);
            return;
        }
        work = hashBySystem(list, function (bytes) {
            progress(finished + bytes, total);
        }, function () {
            work = hashByScript(list, function (bytes) {
                progress(finished + bytes, total);
            }, function (error) {
                if (error) {
                    end(error);
                    return;
                }
                keep(list);
                next();
            });
        });
    }

    after(0, next);
    return {
        cancel: function () {
            stopped = true;
            if (work) {
                work.cancel();
            }
        }
    };
}

// hashBySystem hashes what it can; what it cannot stays without a hash.
function hashBySystem(list, progress, done) {
    var folder, commands = [], i, run, watch, output;
    try {
        folder = workFolder();
        for (i = 0; i < list.length; i++) {
            commands.push(note("file " + i, "output"));
            commands.push(onWindows() ? command(["certutil.exe", "-hashfile", list[i].file.fsName, "SHA256"], null, "output") :
                command(["shasum", "-a", "256"], list[i].file.fsName, "output"));
        }
        output = fileAt(folder.fsName + "/output");
        run = start(folder, commands, function () {
            watch.stopped = true;
            readHashes(readText(output), list);
            removeFolder(folder);
            done();
        });
        watch = every(function () {
            var last = /file ([0-9]+)[^f]*$/.exec(readText(output)), bytes = 0, n;
            for (n = 0; last && (n < Number(last[1])); n++) {
                bytes += list[n].size;
            }
            progress(bytes);
            return false;
        });
    } catch (ignored) {
        return after(0, done);
    }
    return {
        cancel: function () {
            watch.stopped = true;
            run.cancel();
            removeFolder(folder);
        }
    };
}

// readHashes reads what certutil or shasum printed. Older certutils write a space between two bytes.
function readHashes(text, list) {
    var lines = text.split(/\r?\n/), at = -1, i, found, hex;
    for (i = 0; i < lines.length; i++) {
        found = /^file ([0-9]+)\s*$/.exec(lines[i]);
        if (found) {
            at = Number(found[1]);
            continue;
        }
        hex = lines[i].replace(/ +\*?-?$/, "").replace(/ /g, "").toLowerCase();
        if (/^\\?[0-9a-f]{64}$/.test(hex) && (at >= 0) && (at < list.length) && !list[at].sha256) {
            list[at].sha256 = hex.replace("\\", "");
        }
    }
}

// hashByScript hashes in turns what has no hash yet.
function hashByScript(list, progress, done) {
    var at = 0, hash = null, bytes = 0, file = null;
    var work = every(function () {
        var until = now() + TURN_TAKES, piece;
        while (at < list.length) {
            if (list[at].sha256) {
                bytes += list[at].size;
                at++;
                continue;
            }
            if (!hash) {
                hash = newSHA256();
                file = list[at].file;
                file.encoding = "BINARY";
                if (!file.open("r")) {
                    throw problem("Cannot read " + file.fsName + ": " + file.error);
                }
            }
            piece = file.read(HASH_PIECE);
            hash.add(piece);
            bytes += piece.length;
            if ((piece.length === 0) || file.eof) {
                file.close();
                list[at].sha256 = hash.sum();
                hash = null;
                at++;
            }
            if (now() > until) {
                progress(bytes);
                return false;
            }
        }
        done(null);
        return true;
    }, function (error) {
        if (file) {
            file.close();
        }
        done(error);
    });
    work.cancel = function () {
        work.stopped = true;
        if (file) {
            file.close();
        }
    };
    return work;
}
