// JSON, which ExtendScript does not have. Nothing of the text is run.

var JSON_DEPTH = 64;

// jsonText writes a value in plain ASCII. Functions and what is undefined are left out.
function jsonText(value) {
    var list, i, key;
    if ((value === null) || (value === undefined)) {
        return "null";
    }
    if ((typeof value === "boolean") || (value instanceof Boolean)) {
        return String(value);
    }
    if (typeof value === "number") {
        return isFinite(value) ? String(value) : "null";
    }
    if (typeof value === "string") {
        return jsonQuote(value);
    }
    list = [];
    if (isArray(value)) {
        for (i = 0; i < value.length; i++) {
            list.push(jsonText(value[i]));
        }
        return "[" + list.join(",") + "]";
    }
    for (key in value) {
        if (has(value, key) && (value[key] !== undefined) && (typeof value[key] !== "function")) {
            list.push(jsonQuote(key) + ":" + jsonText(value[key]));
        }
    }
    return "{" + list.join(",") + "}";
}

function jsonQuote(text) {
    var out = "", i, code, hex;
    for (i = 0; i < text.length; i++) {
        code = text.charCodeAt(i);
        if ((code === 34) || (code === 92)) {
            out += "\\" + text.charAt(i);
        } else if ((code < 32) || (code > 126)) {
            hex = code.toString(16);
            out += "\\u" + "0000".substring(hex.length) + hex;
        } else {
            out += text.charAt(i);
        }
    }
    return "\"" + out + "\"";
}

// jsonValue reads a value; it throws where the text is not JSON.
function jsonValue(text) {
    var at = 0;

    function wrong() {
        throw new Error("the answer is not JSON (at character " + at + ")");
    }

    function space() {
        while ((at < text.length) && (" \t\r\n".indexOf(text.charAt(at)) >= 0)) {
            at++;
        }
    }

    function word(letters, value) {
        if (text.substring(at, at + letters.length) !== letters) {
            wrong();
        }
        at += letters.length;
        return value;
    }

    function number() {
        var found = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+\-]?[0-9]+)?/.exec(text.substring(at, at + 400));
        if (!found) {
            wrong();
        }
        at += found[0].length;
        return Number(found[0]);
    }

    function escaped() {
        var simple = {b: "\b", f: "\f", n: "\n", r: "\r", t: "\t"}, c = text.charAt(at++), hex;
        if (c === "u") {
            hex = text.substring(at, at + 4);
            if (!/^[0-9a-fA-F]{4}$/.test(hex)) {
                wrong();
            }
            at += 4;
            return String.fromCharCode(parseInt(hex, 16));
        }
        if (("\"\\/".indexOf(c) >= 0) && (c !== "")) {
            return c;
        }
        if (!has(simple, c)) {
            wrong();
        }
        return simple[c];
    }

    function string() {
        var out = "", from, c;
        at++;
        for (;;) {
            from = at;
            while (at < text.length) {
                c = text.charAt(at);
                if ((c === "\"") || (c === "\\") || (c < " ")) {
                    break;
                }
                at++;
            }
            out += text.substring(from, at);
            if ((at >= text.length) || (c < " ")) {
                wrong();
            }
            at++;
            if (c === "\"") {
                return out;
            }
            out += escaped();
        }
    }

    // members reads what stands between two brackets.
    function members(end, read) {
        at++;
        space();
        if (text.charAt(at) === end) {
            at++;
            return;
        }
        for (;;) {
            read();
            space();
            if (text.charAt(at) === end) {
                at++;
                return;
            }
            if (text.charAt(at) !== ",") {
                wrong();
            }
            at++;
        }
    }

    function value(depth) {
        var made, c;
        if (depth > JSON_DEPTH) {
            wrong();
        }
        space();
        c = text.charAt(at);
        if (c === "{") {
            made = {};
            members("}", function () {
                var key;
                space();
                if (text.charAt(at) !== "\"") {
                    wrong();
                }
                key = string();
                space();
                if (text.charAt(at) !== ":") {
                    wrong();
                }
                at++;
                made[key] = value(depth + 1);
            });
            return made;
        }
        if (c === "[") {
            made = [];
            members("]", function () {
                made.push(value(depth + 1));
            });
            return made;
        }
        if (c === "\"") {
            return string();
        }
        if (c === "t") {
            return word("true", true);
        }
        if (c === "f") {
            return word("false", false);
        }
        if (c === "n") {
            return word("null", null);
        }
        return number();
    }

    var whole = value(0);
    space();
    if (at < text.length) {
        wrong();
    }
    return whole;
}
