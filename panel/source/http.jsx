// Requests: one at a time, over the Socket for http: and by curl for https:.
//
// A request has: method, url, headers (pairs), body (text in ASCII, or null), file (sent instead of a body), save (a File for the answer),
// authority (path of a certificate for https:), progress(done, total).

var waiting = [];
var running = null;

// parseAddress takes an address apart; null for one that is none.
function parseAddress(url) {
    var found = /^(https?):\/\/(\[[0-9a-fA-F:.]+\]|[^\/?#:@\s]+)(?::([0-9]{1,5}))?(\/[^\s#]*)?$/i.exec(url), secure;
    if (!found) {
        return null;
    }
    secure = found[1].toLowerCase() === "https";
    return {
        url: url,
        secure: secure,
        host: found[2],
        port: found[3] ? Number(found[3]) : (secure ? 443 : 80),
        authority: found[2] + (found[3] ? ":" + found[3] : ""),
        origin: found[1].toLowerCase() + "://" + found[2].toLowerCase() + (found[3] ? ":" + found[3] : ""),
        path: found[4] || "/"
    };
}

// send sends a request when those before it have ended. It can be cancelled; done is not called then.
function send(request, done) {
    var entry = {request: request, done: done, work: null, cancelled: false};
    waiting.push(entry);
    sendNext();
    return {
        cancel: function () {
            var at = indexOf(waiting, entry);
            entry.cancelled = true;
            if (at >= 0) {
                waiting.splice(at, 1);
            }
            if (running === entry) {
                running = null;
                entry.work.cancel();
                sendNext();
            }
        }
    };
}

function sendNext() {
    var entry;
    if (running || (waiting.length === 0)) {
        return;
    }
    entry = waiting.shift();
    running = entry;

    function done(error, answer) {
        if (entry.cancelled) {
            return;
        }
        running = null;
        sendNext();
        entry.done(error, answer);
    }

    function fail(error) {
        entry.work = after(0, function () {
            done(error);
        });
        entry.work.cancel = function () {
            entry.work.stopped = true;
        };
    }

    try {
        entry.request.address = parseAddress(entry.request.url);
        if (!entry.request.address) {
            fail(problem("\"" + entry.request.url + "\" is not an address such as https://farm.studio:8443"));
            return;
        }
        entry.work = entry.request.address.secure ? curlRequest(entry.request, done) : socketRequest(entry.request, done);
    } catch (error) {
        fail(error);
    }
}
