// Words, lists and bytes: what ES3 lacks.

function now() {
    return new Date().getTime();
}

function trim(text) {
    return String(text).replace(/^\s+|\s+$/g, "");
}

function has(object, key) {
    return Object.prototype.hasOwnProperty.call(object, key);
}

function indexOf(list, thing) {
    for (var i = 0; i < list.length; i++) {
        if (list[i] === thing) {
            return i;
        }
    }
    return -1;
}

function startsWith(text, start) {
    return text.substring(0, start.length) === start;
}

function isArray(value) {
    return Object.prototype.toString.call(value) === "[object Array]";
}

// baseName is the last step of a path of Windows or macOS.
function baseName(path) {
    return String(path).replace(/^.*[\/\\]/, "");
}

// stem is the name of a file without its extension.
function stem(name) {
    return name.replace(/\.[^.]*$/, "");
}

function extensionOf(name) {
    var found = /\.([^.\/\\]+)$/.exec(name);
    return found ? found[1].toLowerCase() : "";
}

// plural is a count with its noun: "1 file", "2 files".
function plural(count, noun) {
    return count + " " + noun + (count === 1 ? "" : "s");
}

// sizeText is a size for people.
function sizeText(bytes) {
    var units = ["bytes", "KB", "MB", "GB", "TB"], unit = 0;
    while ((bytes >= 1000) && (unit < units.length - 1)) {
        bytes = bytes / 1000;
        unit++;
    }
    return (unit === 0 ? String(bytes) : bytes.toFixed(bytes < 10 ? 1 : 0)) + " " + units[unit];
}

// listText names the first few of many.
function listText(names) {
    var most = 4;
    if (names.length <= most) {
        return names.join(", ");
    }
    return names.slice(0, most).join(", ") + " and " + (names.length - most) + " more";
}

function errorText(error) {
    if (error && (error.message !== undefined)) {
        return String(error.message);
    }
    return String(error);
}

// problem is an error with the status of the farm's answer, 0 where there was none.
function problem(message, status) {
    var error = new Error(message);
    error.status = status || 0;
    return error;
}

// toUTF8 gives text as bytes, one character for each.
function toUTF8(text) {
    // A surrogate without its other half has no UTF-8.
    var whole = String(text).replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/g, "\uFFFD");
    try {
        return unescape(encodeURIComponent(whole));
    } catch (ignored) {
        return unescape(encodeURIComponent(whole.replace(/[\uD800-\uDFFF]/g, "\uFFFD")));
    }
}

// fromUTF8 reads bytes, one character for each, as text.
function fromUTF8(bytes) {
    try {
        return decodeURIComponent(escape(bytes));
    } catch (ignored) {
        return bytes;
    }
}

function randomText(length) {
    var letters = "abcdefghijkmnpqrstuvwxyz23456789", text = "";
    while (text.length < length) {
        text += letters.charAt(Math.floor(Math.random() * letters.length));
    }
    return text;
}
