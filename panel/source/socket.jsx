// HTTP over ExtendScript's Socket, which speaks no TLS: for farms within the studio at http: addresses.

var PIECE = 65536;          // bytes that are sent or read at once
var CONNECT_SECONDS = 10;   // for a connection; After Effects waits as long
var READ_SECONDS = 1;       // for bytes that do not come; then After Effects has its turn
var ANSWER_MS = 30 * 60000; // for the farm's answer, which puts large files together before it answers

// socketRequest sends a request, see http.jsx for its fields.
function socketRequest(request, done) {
    var socket = new Socket(), state = "open", sent = 0, total = 0, source = null, waited = 0, buffer = "", answer = null, left = 0, target = null, chunked = false, loop;

    function close() {
        if (source) {
            source.close();
            source = null;
        }
        if (target) {
            target.close();
            target = null;
        }
        socket.close();
    }

    function finish(error) {
        state = "done";
        close();
        if (error) {
            done(error);
        } else {
            done(null, answer);
        }
    }

    function head() {
        var lines = [request.method + " " + request.address.path + " HTTP/1.1", "Host: " + request.address.authority, "Connection: close"], i;
        for (i = 0; i < request.headers.length; i++) {
            lines.push(request.headers[i][0] + ": " + request.headers[i][1]);
        }
        if (request.file || (request.body !== null)) {
            lines.push("Content-Length: " + total);
        }
        return lines.join("\r\n") + "\r\n\r\n";
    }

    function open() {
        socket.timeout = CONNECT_SECONDS;
        if (!socket.open(request.address.host + ":" + request.address.port, "BINARY")) {
            throw problem("No connection to " + request.address.authority + ". Is the farm running, and may scripts use the network?");
        }
        total = request.file ? request.file.length : (request.body === null ? 0 : request.body.length);
        if (request.file) {
            source = request.file;
            source.encoding = "BINARY";
            if (!source.open("r")) {
                throw problem("Cannot read " + source.fsName + ": " + source.error);
            }
        }
        socket.write(head());
        state = "send";
    }

    // send sends pieces for one turn.
    function send() {
        var until = now() + TURN_TAKES, piece;
        while (sent < total) {
            piece = source ? source.read(Math.min(PIECE, total - sent)) : request.body.substring(sent, sent + PIECE);
            if (piece.length === 0) {
                throw problem(request.file.fsName + " became shorter while it was sent");
            }
            if (!socket.write(piece)) {
                break; // the farm may have refused already: its answer says why
            }
            sent += piece.length;
            if (request.progress) {
                request.progress(sent, total);
            }
            if ((now() > until) || (state !== "send")) {
                return;
            }
        }
        socket.timeout = READ_SECONDS;
        waited = now();
        state = "head";
    }

    function silent(what) {
        if (!socket.connected) {
            throw problem("The connection ended " + what);
        }
        if (now() - waited > ANSWER_MS) {
            throw problem("The farm did not answer in time");
        }
    }

    // line reads up to the end of a line, null where it has not come yet.
    function line() {
        var c;
        while (buffer.substring(buffer.length - 2) !== "\r\n") {
            c = socket.read(1);
            if (c === "") {
                silent("before the answer was whole");
                return null;
            }
            buffer += c;
            if (buffer.length > PIECE) {
                throw problem("The answer is not HTTP");
            }
        }
        c = buffer.substring(0, buffer.length - 2);
        buffer = "";
        return c;
    }

    function readHead() {
        var text, found;
        for (;;) {
            text = line();
            if (text === null) {
                return;
            }
            if (answer === null) {
                found = /^HTTP\/1\.[01] ([0-9]{3})/.exec(text);
                if (!found) {
                    throw problem("The answer is not HTTP. Does the address begin with https:?");
                }
                answer = {status: Number(found[1]), headers: {}, text: ""};
            } else if (text !== "") {
                found = text.indexOf(":");
                answer.headers[text.substring(0, found).toLowerCase()] = trim(text.substring(found + 1));
            } else if (answer.status === 100) {
                answer = null;
            } else {
                break;
            }
        }
        chunked = (answer.headers["transfer-encoding"] || "").toLowerCase() === "chunked";
        left = has(answer.headers, "content-length") ? Number(answer.headers["content-length"]) : -1;
        total = left;
        sent = 0;
        if (request.save && (answer.status === 200)) {
            target = request.save;
            target.encoding = "BINARY";
            if (!target.open("w")) {
                throw problem("Cannot write " + target.fsName + ": " + target.error);
            }
        }
        if ((answer.status === 204) || (answer.status === 304) || (request.method === "HEAD")) {
            left = 0;
            chunked = false;
        }
        state = chunked ? "size" : "body";
    }

    // take keeps bytes of the answer.
    function take(bytes) {
        if (!target) {
            answer.text += bytes;
        } else if (!target.write(bytes)) {
            throw problem("Cannot write " + target.fsName + ": " + target.error);
        }
        sent += bytes.length;
        if (target && request.progress) {
            request.progress(sent, total);
        }
    }

    function readSize() {
        var text = line();
        if (text === null) {
            return;
        }
        left = parseInt(text, 16);
        if (isNaN(left)) {
            throw problem("The answer is not HTTP");
        }
        state = left === 0 ? "end" : "body";
    }

    function readBody() {
        var until = now() + TURN_TAKES, bytes;
        while (left !== 0) {
            bytes = socket.read(left < 0 ? PIECE : Math.min(PIECE, left));
            if (bytes === "") {
                if ((left < 0) && !socket.connected) {
                    break;
                }
                silent("before the answer was whole");
                return;
            }
            waited = now();
            if (left > 0) {
                left -= bytes.length;
            }
            take(bytes);
            if ((now() > until) || (state !== "body")) {
                return;
            }
        }
        state = chunked ? "gap" : "end";
    }

    loop = every(function () {
        if (state === "open") {
            open();
        } else if (state === "send") {
            send();
        } else if (state === "head") {
            readHead();
        } else if (state === "size") {
            readSize();
        } else if (state === "body") {
            readBody();
        } else if (state === "gap") {
            if (line() !== null) {
                state = "size";
            }
        }
        if (state === "end") {
            answer.text = fromUTF8(answer.text);
            finish(null);
        }
        return state === "done";
    }, finish);

    return {
        cancel: function () {
            loop.stopped = true;
            state = "done";
            close();
        }
    };
}
