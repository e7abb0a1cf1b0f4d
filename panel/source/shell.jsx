// Programs of the system. system.callSystem waits for what it starts, so anything that may take long is started beside After Effects
// and leaves a file when it has ended.

function onWindows() {
    return $.os.indexOf("Windows") >= 0;
}

// fileAt is the file of a path of the system. File reads a percent sign as the start of an escape.
function fileAt(path) {
    return new File(String(path).replace(/%/g, "%25"));
}

function folderAt(path) {
    return new Folder(String(path).replace(/%/g, "%25"));
}

var scratchFolder = null;

// scratch is a folder of this session that only this person can read.
function scratch() {
    var tries, folder;
    if (scratchFolder && scratchFolder.exists) {
        return scratchFolder;
    }
    for (tries = 0; tries < 5; tries++) {
        folder = folderAt(Folder.temp.fsName + "/overcrank-" + randomText(12));
        if (folder.exists) {
            continue;
        }
        if (onWindows()) {
            folder.create(); // the person's own folder for temporary files is closed to others there
        } else {
            system.callSystem("/bin/mkdir -m 700 " + shellQuote(folder.fsName));
        }
        if (folder.exists) {
            scratchFolder = folder;
            return folder;
        }
    }
    throw problem("The folder for temporary files cannot be written to: " + Folder.temp.fsName);
}

function removeFolder(folder) {
    var list, i;
    if (!folder.exists) {
        return;
    }
    list = folder.getFiles();
    for (i = 0; i < list.length; i++) {
        if (list[i] instanceof Folder) {
            removeFolder(list[i]);
        } else {
            list[i].remove();
        }
    }
    folder.remove();
}

// forgetScratch removes what this session wrote.
function forgetScratch() {
    if (scratchFolder) {
        removeFolder(scratchFolder);
        scratchFolder = null;
    }
}

function writeText(file, text) {
    file.encoding = "UTF-8";
    file.lineFeed = onWindows() ? "Windows" : "Unix";
    if (!file.open("w")) {
        throw problem("Cannot write " + file.fsName + ": " + (file.error || "allow scripts to write files in After Effects' settings"));
    }
    file.write(text);
    file.close();
}

// readText reads a small file, "" where there is none.
function readText(file) {
    var text;
    if (!file.exists) {
        return "";
    }
    file.encoding = "UTF-8";
    if (!file.open("r")) {
        return "";
    }
    text = file.read();
    file.close();
    return text;
}

// command is one program with its arguments, as words, and where it reads from and writes to.
function command(words, input, output) {
    var quoted = [], quote = onWindows() ? batchQuote : shellQuote, i;
    for (i = 0; i < words.length; i++) {
        quoted.push(quote(words[i]));
    }
    if (onWindows()) {
        return quoted.join(" ") + (input ? " < " + quote(input) : "") + " >> " + quote(output) + " 2>> errors";
    }
    return "step " + quoted.join(" ") + (input ? " < " + quote(input) : " < /dev/null") + " >> " + quote(output) + " 2>> errors";
}

// note is a command that writes a line to a file.
function note(text, output) {
    if (onWindows()) {
        return ">> " + batchQuote(output) + " echo " + text;
    }
    return "echo " + shellQuote(text) + " >> " + shellQuote(output);
}

// SCRIPT_HEAD begins each file of commands for sh: step runs a program so that it can be ended.
var SCRIPT_HEAD = [
    "umask 077",
    "cd \"${0%/*}\" || exit 1",
    "step() {",
    "    [ -e cancelled ] && exit 143",
    "    { \"$@\" <&3 3<&- & } 3<&0",
    "    echo $! > child",
    "    wait $!",
    "}"
];

var BATCH_HEAD = [
    "@echo off",
    "setlocal DisableDelayedExpansion",
    "chcp 65001 >nul",
    "cd /d \"%~dp0\""
];

// startLine is the command line that runs run.cmd of a folder beside After Effects. The folder's path stands in it once, and not within the quotation marks of
// another command: these would end where it begins, and cmd.exe would take an ampersand in the name of an account as the end of the command.
function startLine(folder, title) {
    return "cmd.exe /d /s /c \"cd /d " + commandQuote(folder) + " && start \"" + title + "\" /min cmd.exe /d /c .\\run.cmd\"";
}

// start runs commands in a folder. done gets the exit code of the last one.
function start(folder, commands, done) {
    var title = "Overcrank " + folder.name, file, ended = fileAt(folder.fsName + "/exit"), ending;
    if (onWindows()) {
        file = fileAt(folder.fsName + "\\run.cmd");
        writeText(file, BATCH_HEAD.concat(commands, [">exit echo %ERRORLEVEL%", "exit"]).join("\n") + "\n");
        system.callSystem(startLine(folder.fsName, title));
    } else {
        file = fileAt(folder.fsName + "/run.sh");
        writeText(file, SCRIPT_HEAD.concat(commands, ["echo $? > exit"]).join("\n") + "\n");
        system.callSystem("/bin/sh " + shellQuote(file.fsName) + " > /dev/null 2>&1 < /dev/null &");
    }
    ending = every(function () {
        var code = trim(readText(ended));
        if (code === "") {
            return false;
        }
        done(Number(code));
        return true;
    });
    return {
        cancel: function () {
            ending.stopped = true;
            if (onWindows()) {
                system.callSystem("taskkill.exe /F /T /FI \"WINDOWTITLE eq " + title + "*\"");
            } else {
                writeText(fileAt(folder.fsName + "/cancelled"), "");
                system.callSystem("kill $(cat " + shellQuote(folder.fsName + "/child") + ") > /dev/null 2>&1");
            }
        }
    };
}

// workFolder is a new folder for one run.
function workFolder() {
    var folder = folderAt(scratch().fsName + "/" + randomText(10));
    if (!folder.create()) {
        throw problem("Cannot write to the folder for temporary files: " + folder.error);
    }
    return folder;
}
