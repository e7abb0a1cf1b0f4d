// Text for programs that read command lines and files of their own. Names of files are hostile: they come from anywhere.

// shellQuote is text as one word of sh.
function shellQuote(text) {
    refuseCharacters(text, /\u0000/);
    return "'" + String(text).replace(/'/g, "'\\''") + "'";
}

// batchQuote is text as one word within a file of commands for cmd.exe, where a percent sign is written twice.
function batchQuote(text) {
    refuseCharacters(text, /["\u0000-\u001f]/);
    return "\"" + String(text).replace(/%/g, "%%") + "\"";
}

// commandQuote is text as one word on the command line of cmd.exe. Two percent signs there are the name of a variable unless a quotation
// mark lies between them, which no variable has in its name.
function commandQuote(text) {
    refuseCharacters(text, /["\u0000-\u001f]/);
    return "\"" + String(text).replace(/%/g, "\"^%\"") + "\"";
}

// curlQuote is text as a value in a file of settings for curl.
function curlQuote(text) {
    refuseCharacters(text, /[\u0000-\u001f]/);
    return "\"" + String(text).replace(/\\/g, "\\\\").replace(/"/g, "\\\"") + "\"";
}

function refuseCharacters(text, wrong) {
    if (wrong.test(String(text))) {
        throw problem("a name has a character that no command can be given: " + jsonQuote(String(text)));
    }
}
