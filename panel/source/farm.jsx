// The farm's interface. A farm is {server, token, authority}.

// farmAddress is the address of something at the farm.
function farmAddress(farm, path) {
    return trim(farm.server).replace(/\/+$/, "") + path;
}

function farmHeaders(farm, url) {
    var headers = [["User-Agent", "overcrank-panel/" + VERSION]], home = parseAddress(farmAddress(farm, "/")), there = parseAddress(url);
    // The token is for the farm alone: results may lie in a storage of somebody else.
    if (farm.token && home && there && (home.origin === there.origin)) {
        headers.push(["Authorization", "Bearer " + farm.token]);
    }
    return headers;
}

// ask sends a request with a body of JSON, or none, and gives done what the answer holds.
function ask(farm, method, path, body, done, key) {
    var url = farmAddress(farm, path), headers = farmHeaders(farm, url);
    if (body !== null) {
        headers.push(["Content-Type", "application/json"]);
    }
    if (key) {
        headers.push(["Idempotency-Key", key]);
    }
    return send({method: method, url: url, headers: headers, body: body === null ? null : jsonText(body), file: null, save: null, authority: farm.authority}, function (error, answer) {
        finishAsking(error, answer, done);
    });
}

function finishAsking(error, answer, done) {
    var value = null;
    if (!error) {
        try {
            value = trim(answer.text) === "" ? null : jsonValue(answer.text);
            if ((answer.status < 200) || (answer.status > 299)) {
                error = problem(refusalText(answer.status, value), answer.status);
            }
        } catch (wrong) {
            error = problem("The farm's answer (" + answer.status + ") cannot be read: " + errorText(wrong), answer.status);
        }
    }
    if (error) {
        done(error, null);
    } else {
        done(null, value);
    }
}

// refusalText is what the farm says is wrong, with each field that it names.
function refusalText(status, value) {
    var text, i, details;
    if (status === 401) {
        return "The farm does not know this token: create another on the dashboard (Settings, API tokens), and enter it in the panel's settings";
    }
    if (!value || !value.error) {
        return "The farm answered with status " + status;
    }
    text = String(value.error);
    details = value.details || [];
    for (i = 0; i < details.length; i++) {
        text += (i === 0 ? ": " : "; ") + details[i].field + " " + details[i].message;
    }
    return text;
}

// handOver sends a file and gives done the address under which the farm keeps it.
function handOver(farm, file, name, progress, done) {
    var url = farmAddress(farm, "/api/farm/v1/files"), headers = farmHeaders(farm, url);
    headers.push(["Content-Type", "application/octet-stream"], ["X-File-Name", encodeURIComponent(fromUTF8(toUTF8(name)))]);
    return send({method: "POST", url: url, headers: headers, body: null, file: file, save: null, authority: farm.authority, progress: progress}, function (error, answer) {
        finishAsking(error, answer, done);
    });
}

var REDIRECTS = 5; // that are followed for one file

// fetchFile saves what is at an address. redirects is how many came before; none when left out.
function fetchFile(farm, url, file, progress, done, redirects) {
    return send({method: "GET", url: url, headers: farmHeaders(farm, url), body: null, file: null, save: file, authority: farm.authority, progress: progress}, function (error, answer) {
        var next;
        if (!error && (answer.status >= 300) && (answer.status < 400) && answer.headers.location) {
            next = parseAddress(answer.headers.location);
            if (next && ((redirects || 0) >= REDIRECTS)) {
                done(problem("The result cannot be downloaded: its address leads from one to the next without end"));
                return;
            }
            if (next) {
                fetchFile({server: farm.server, token: "", authority: farm.authority}, next.url, file, progress, done, (redirects || 0) + 1);
                return;
            }
        }
        if (!error && (answer.status !== 200)) {
            error = problem("The result cannot be downloaded (status " + answer.status + ")", answer.status);
        }
        done(error);
    });
}
