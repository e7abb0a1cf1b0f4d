// HTTPS by way of curl, which comes with Windows 10 and macOS. It runs beside After Effects. The token is in a file of settings that only
// this person can read and that is gone when the request is; it never stands on a command line, where every program could see it.

// curlRequest sends a request, see http.jsx for its fields.
function curlRequest(request, done) {
    var folder = workFolder(), settings = fileAt(folder.fsName + "/settings"), run, watch;

    function tidy() {
        if (watch) {
            watch.stopped = true;
        }
        if (request.file) {
            request.file.close();
        }
        removeFolder(folder);
    }

    writeSettings(settings, request, folder);
    run = start(folder, [curlCommand(request)], function (code) {
        var answer, error = null;
        try {
            answer = curlAnswer(folder, code, request);
        } catch (wrong) {
            error = wrong;
        }
        tidy();
        done(error, answer);
    });
    if (request.progress) {
        watch = every(function () {
            var seen = curlProgress(readText(fileAt(folder.fsName + "/meter")), request);
            if (seen) {
                request.progress(seen.done, seen.total);
            }
            return false;
        });
    }
    return {
        cancel: function () {
            run.cancel();
            tidy();
        }
    };
}

// writeSettings writes what curl is to do. It takes brackets in an address as they are (globoff). Paths in it are plain names: curl of Windows reads others in the system's old code page.
function writeSettings(file, request, folder) {
    var lines = ["url = " + curlQuote(request.address.url), "request = " + curlQuote(request.method), "http1.1", "globoff", "connect-timeout = 20",
        "speed-limit = 1", "speed-time = 1800", "dump-header = \"head\"", "output = \"body\"", "stderr = \"meter\""], i;
    for (i = 0; i < request.headers.length; i++) {
        lines.push("header = " + curlQuote(request.headers[i][0] + ": " + request.headers[i][1]));
    }
    if (request.file) {
        // The file comes by the standard input, so that its path stands in no command of curl; its length is known all the same.
        lines.push("upload-file = \"-\"", "header = \"Transfer-Encoding:\"", "header = " + curlQuote("Content-Length: " + request.file.length), "header = \"Expect:\"");
    } else if (request.body !== null) {
        writeText(fileAt(folder.fsName + "/send"), request.body);
        lines.push("data-binary = \"@send\"");
    }
    if (request.authority) {
        if (!fileAt(request.authority).copy(fileAt(folder.fsName + "/authority.pem"))) {
            throw problem("Cannot read the farm's certificate " + request.authority);
        }
        lines.push("cacert = \"authority.pem\"");
    }
    if (!onWindows()) {
        system.callSystem("umask 077; : > " + shellQuote(file.fsName));
    }
    writeText(file, lines.join("\n") + "\n");
}

function curlCommand(request) {
    return command([onWindows() ? "curl.exe" : "curl", "--disable", "--config", "settings"], request.file ? request.file.fsName : null, "output");
}

// CURL_FAILURES are the exit codes of curl that people meet.
var CURL_FAILURES = {
    5: "The proxy was not found", 6: "The host % was not found", 7: "No connection to %", 22: "% refused", 26: "A file cannot be read",
    28: "% did not answer in time", 35: "% does not use TLS: should the address begin with http: instead?", 55: "The connection to % broke", 56: "The connection to % broke",
    60: "This machine does not trust the certificate of %: enter the farm's certificate in the panel's settings, or ask the farm's administrator",
    77: "The farm's certificate in the panel's settings cannot be read", 127: "curl is not installed on this machine", 9009: "curl is not installed on this machine"
};

function curlAnswer(folder, code, request) {
    var heads, found, answer, body = fileAt(folder.fsName + "/body"), lines, i, at;
    heads = trim(readText(fileAt(folder.fsName + "/head"))).split(/\r?\n\r?\n/);
    lines = heads[heads.length - 1].split(/\r?\n/);
    found = /^HTTP\/[0-9.]+ ([0-9]{3})/.exec(lines[0]);
    if ((code !== 0) || !found) {
        throw problem(CURL_FAILURES[code] ? CURL_FAILURES[code].replace(/%/g, request.address.authority) : "curl failed with code " + code + ": " + curlWords(folder));
    }
    answer = {status: Number(found[1]), headers: {}, text: ""};
    for (i = 1; i < lines.length; i++) {
        at = lines[i].indexOf(":");
        answer.headers[lines[i].substring(0, at).toLowerCase()] = trim(lines[i].substring(at + 1));
    }
    if (request.save && (answer.status === 200)) {
        if (request.save.exists) {
            request.save.remove();
        }
        if (!body.copy(request.save)) {
            throw problem("Cannot write " + request.save.fsName + ": " + body.error);
        }
    } else {
        answer.text = readText(body);
    }
    return answer;
}

// curlWords is what curl said last, without its table of progress.
function curlWords(folder) {
    var lines = trim(readText(fileAt(folder.fsName + "/meter")) + readText(fileAt(folder.fsName + "/errors"))).split(/[\r\n]+/);
    return lines[lines.length - 1];
}

// curlProgress reads curl's table: the fourth column is what has come, the sixth what has gone.
function curlProgress(table, request) {
    var lines = trim(table).split(/[\r\n]+/), columns = trim(lines[lines.length - 1]).split(/\s+/), total;
    if ((columns.length < 12) || !/^[0-9]/.test(columns[0])) {
        return null;
    }
    if (request.file) {
        return {done: curlSize(columns[5]), total: request.file.length};
    }
    total = curlSize(columns[1]);
    return {done: curlSize(columns[3]), total: total > 0 ? total : -1};
}

function curlSize(text) {
    var found = /^([0-9.]+)([kMGT]?)$/.exec(text), factors = {k: 1024, M: 1048576, G: 1073741824, T: 1099511627776};
    if (!found) {
        return 0;
    }
    return Number(found[1]) * (found[2] ? factors[found[2]] : 1);
}
