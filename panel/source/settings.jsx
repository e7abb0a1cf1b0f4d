// What the panel remembers: the farm and the token in After Effects' preferences of this person, never in the project; what may grow in
// a file of this person's own folder.

var SECTION = "Overcrank";

function setting(name, otherwise) {
    try {
        if (app.settings.haveSetting(SECTION, name)) {
            return app.settings.getSetting(SECTION, name);
        }
    } catch (ignored) {
        // preferences of another version of After Effects
    }
    return otherwise;
}

function keepSetting(name, value) {
    app.settings.saveSetting(SECTION, name, String(value));
}

// knownFarm is the farm as it was set up.
function knownFarm() {
    return {server: setting("server", SUGGESTED_SERVER), token: setting("token", ""), authority: setting("authority", "")};
}

function keepFarm(farm) {
    keepSetting("server", trim(farm.server));
    keepSetting("token", trim(farm.token));
    keepSetting("authority", trim(farm.authority));
    if (app.preferences && app.preferences.saveToDisk) {
        app.preferences.saveToDisk();
    }
}

// memory is a table in a file: kept for speed alone, so whatever is wrong with it is forgotten.
function memoryFile(name) {
    var folder = folderAt(Folder.userData.fsName + "/Overcrank");
    if (!folder.exists) {
        folder.create();
    }
    return fileAt(folder.fsName + "/" + name + ".json");
}

function remembered(name) {
    try {
        var table = jsonValue(readText(memoryFile(name)));
        return (table && !isArray(table) && (typeof table === "object")) ? table : {};
    } catch (ignored) {
        return {};
    }
}

// remember keeps the latest entries of a table; each has a field "at".
function remember(name, table, most) {
    var keys = [], kept = {}, key, i;
    for (key in table) {
        if (has(table, key)) {
            keys.push(key);
        }
    }
    keys.sort(function (a, b) {
        return (table[b].at || 0) - (table[a].at || 0);
    });
    for (i = 0; (i < keys.length) && (i < most); i++) {
        kept[keys[i]] = table[keys[i]];
    }
    try {
        writeText(memoryFile(name), jsonText(kept));
    } catch (ignored) {
        // the next time is slower
    }
}

// mayWork says what keeps scripts from files and the network, "" where nothing does.
function mayWork() {
    var sections = ["Main Pref Section v2", "Main Pref Section"], i;
    if (!app.preferences || !app.preferences.havePref) {
        return "";
    }
    for (i = 0; i < sections.length; i++) {
        if (app.preferences.havePref(sections[i], "Pref_SCRIPTING_FILE_NETWORK_SECURITY")) {
            if (app.preferences.getPrefAsLong(sections[i], "Pref_SCRIPTING_FILE_NETWORK_SECURITY") === 1) {
                return "";
            }
            return "Turn on \"Allow Scripts to Write Files and Access Network\" in After Effects' settings, Scripting & Expressions, and open the panel again";
        }
    }
    return "";
}
