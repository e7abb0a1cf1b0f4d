// What every script of the farm brings along. ES3 only: After Effects' ExtendScript knows nothing newer.

function refuse(asset, message) {
    var error = new Error(message + " (asset " + asset + ")");
    error.told = true;
    throw error;
}

function report(message) {
    if (typeof $ !== "undefined" && $.writeln) {
        $.writeln(message);
    }
}

// step runs one asset, so that whatever goes wrong in it names it.
function step(asset, what, run) {
    var count;
    try {
        count = run();
    } catch (error) {
        if (error && error.told) {
            throw error;
        }
        refuse(asset, what + " failed: " + (error && error.message !== undefined ? error.message : String(error)));
    }
    report("asset " + asset + ": " + what + (typeof count === "number" ? ", changed " + count : ""));
}

function lower(s) {
    return String(s).toLowerCase();
}

function isArray(v) {
    return Object.prototype.toString.call(v) === "[object Array]";
}

function contains(list, thing) {
    for (var i = 0; i < list.length; i++) {
        if (list[i] === thing) {
            return true;
        }
    }
    return false;
}

// ---- compositions and layers

function isComposition(item) {
    return item !== null && item !== undefined && item.numLayers !== undefined;
}

function allCompositions() {
    var found = [], item;
    for (var i = 1; i <= app.project.numItems; i++) {
        item = app.project.item(i);
        if (isComposition(item)) {
            found.push(item);
        }
    }
    return found;
}

function namedCompositions(list, name) {
    var found = [];
    for (var i = 0; i < list.length; i++) {
        if (list[i].name === name) {
            found.push(list[i]);
        }
    }
    return found;
}

// nestedIn gives the compositions that are a layer in one of the list. The same one is given once.
function nestedIn(list) {
    var found = [], ids = {}, source;
    for (var i = 0; i < list.length; i++) {
        for (var k = 1; k <= list[i].numLayers; k++) {
            source = list[i].layer(k).source;
            if (isComposition(source) && !ids["c" + source.id]) {
                ids["c" + source.id] = true;
                found.push(source);
            }
        }
    }
    return found;
}

// compositions understands "*", a name, and "A->B->C" for C nested in B nested in A.
function compositions(asset, filter) {
    var all = allCompositions(), found, path;
    if (filter === "*") {
        return all;
    }
    found = namedCompositions(all, filter);
    if (found.length === 0 && filter.indexOf("->") > 0) {
        path = filter.split("->");
        found = namedCompositions(all, path[0]);
        for (var i = 1; i < path.length; i++) {
            found = namedCompositions(nestedIn(found), path[i]);
        }
    }
    if (found.length === 0) {
        refuse(asset, "Composition '" + filter + "' not found");
    }
    return found;
}

function titled(filter) {
    return filter === "*" ? JOB_COMPOSITION : filter;
}

// layers finds every layer of that name; when there is none, every layer whose source has that name.
function layers(asset, filter, target) {
    var comps = compositions(asset, filter), byName = [], bySource = [], comp, layer, i, k;
    for (i = 0; i < comps.length; i++) {
        comp = comps[i];
        if (typeof target === "number") {
            if (target <= comp.numLayers) {
                byName.push({comp: comp, layer: comp.layer(target)});
            }
            continue;
        }
        for (k = 1; k <= comp.numLayers; k++) {
            layer = comp.layer(k);
            if (layer.name === target) {
                byName.push({comp: comp, layer: layer});
            } else if (layer.source && layer.source.name === target) {
                bySource.push({comp: comp, layer: layer});
            }
        }
    }
    if (byName.length > 0) {
        return byName;
    }
    if (bySource.length > 0) {
        return bySource;
    }
    refuse(asset, "Layer " + (typeof target === "number" ? target : "'" + target + "'") +
        " not found in composition '" + titled(filter) + "'");
}

// eachLayer calls change for every layer of every name. change answers false for a layer that it does not suit; when
// none suits, the reason is the error.
function eachLayer(asset, filter, targets, reason, change) {
    var done = 0, found, here;
    for (var t = 0; t < targets.length; t++) {
        found = layers(asset, filter, targets[t]);
        here = 0;
        for (var i = 0; i < found.length; i++) {
            if (change(found[i].layer, found[i].comp) !== false) {
                here++;
            }
        }
        if (here === 0) {
            refuse(asset, "Layer '" + targets[t] + "' in composition '" + titled(filter) + "' " + reason);
        }
        done += here;
    }
    return done;
}

// ---- properties

// The English names by which people write properties, also where After Effects speaks another language.
var MATCH_NAMES = {
    "transform": "ADBE Transform Group", "effects": "ADBE Effect Parade", "masks": "ADBE Mask Parade",
    "text": "ADBE Text Properties", "contents": "ADBE Root Vectors Group", "audio": "ADBE Audio Group",
    "source text": "ADBE Text Document", "time remap": "ADBE Time Remapping", "audio levels": "ADBE Audio Levels",
    "anchor point": "ADBE Anchor Point", "position": "ADBE Position", "x position": "ADBE Position_0",
    "y position": "ADBE Position_1", "z position": "ADBE Position_2", "scale": "ADBE Scale",
    "orientation": "ADBE Orientation", "x rotation": "ADBE Rotate X", "y rotation": "ADBE Rotate Y",
    "z rotation": "ADBE Rotate Z", "rotation": "ADBE Rotate Z", "opacity": "ADBE Opacity"
};

function direct(group, key) {
    var found = null;
    try {
        found = group.property(key);
    } catch (ignored) {
        found = null;
    }
    return found === undefined ? null : found;
}

function child(group, name) {
    var wanted = lower(name), count = group.numProperties || 0, i, p, any = null, match;
    for (i = 1; i <= count; i++) {
        p = direct(group, i);
        if (p === null) {
            continue;
        }
        if (p.name === name || p.matchName === name) {
            return p;
        }
        if (any === null && (lower(p.name) === wanted || lower(p.matchName) === wanted)) {
            any = p;
        }
    }
    if (any !== null) {
        return any;
    }
    match = MATCH_NAMES.hasOwnProperty(wanted) ? MATCH_NAMES[wanted] : null;
    p = match === null ? null : direct(group, match);
    if (p !== null) {
        return p;
    }
    p = direct(group, name);
    if (p === null && /^[1-9][0-9]*$/.test(name) && Number(name) <= count) {
        p = direct(group, Number(name));
    }
    return p;
}

function isLeaf(p) {
    return p.numProperties === undefined || (typeof PropertyType !== "undefined" && p.propertyType === PropertyType.PROPERTY);
}

// walk follows steps below group as far as a value; what is left over are fields of that value. A name may hold the
// separator itself, so steps are also tried joined.
function walk(group, steps, separator) {
    var p, rest, found;
    if (isLeaf(group)) {
        return {property: group, fields: steps};
    }
    for (var n = 1; n <= steps.length; n++) {
        p = child(group, steps.slice(0, n).join(separator));
        if (p !== null) {
            rest = steps.slice(n);
            found = walk(p, rest, separator);
            if (found !== null) {
                return found;
            }
        }
    }
    return null;
}

// locate finds a property of a layer. The groups that everyone leaves out are tried after the layer's own.
function locate(layer, steps, separator) {
    var found = walk(layer, steps, separator), groups = ["ADBE Transform Group", "ADBE Text Properties", "ADBE Audio Group"], group;
    for (var i = 0; found === null && i < groups.length; i++) {
        group = direct(layer, groups[i]);
        if (group !== null) {
            found = walk(group, steps, separator);
        }
    }
    return found;
}

function isText(property) {
    return property.matchName === "ADBE Text Document";
}

function lines(value) {
    return String(value).replace(/\r\n|\n/g, "\r");
}

var TEXT_FIELDS = ["text", "font", "fontSize", "fillColor", "applyFill", "strokeColor", "applyStroke", "strokeWidth",
    "strokeOverFill", "tracking", "leading", "autoLeading", "justification", "allCaps", "smallCaps", "fauxBold", "fauxItalic",
    "superscript", "subscript", "baselineShift", "horizontalScale", "verticalScale", "tsume", "boxTextSize"];

function justification(value) {
    var names = {
        "left": "LEFT_JUSTIFY", "center": "CENTER_JUSTIFY", "centre": "CENTER_JUSTIFY", "right": "RIGHT_JUSTIFY",
        "full_lastline_left": "FULL_JUSTIFY_LASTLINE_LEFT", "full_lastline_center": "FULL_JUSTIFY_LASTLINE_CENTER",
        "full_lastline_right": "FULL_JUSTIFY_LASTLINE_RIGHT", "full": "FULL_JUSTIFY_LASTLINE_FULL"
    };
    var key = lower(value).replace(/_justify$/, "").replace(/^full_justify_/, "full_");
    if (typeof value === "number") {
        return value;
    }
    if (!names.hasOwnProperty(key)) {
        throw new Error("'" + value + "' is no justification; left, center, right and full are");
    }
    return ParagraphJustification[names[key]];
}

function setTextField(doc, field, value) {
    if (field === "text") {
        doc.text = lines(value);
    } else if (field === "justification") {
        doc.justification = justification(value);
    } else if (field === "allCaps") {
        try {
            doc.allCaps = value;
        } catch (readOnly) {
            report("this After Effects cannot set allCaps; the letters are changed instead");
        }
        if (value && !doc.allCaps) {
            doc.text = String(doc.text).toUpperCase();
        }
    } else {
        if (field === "fillColor") {
            doc.applyFill = true;
        } else if (field === "strokeColor" || field === "strokeWidth") {
            doc.applyStroke = true;
        } else if (field === "leading") {
            doc.autoLeading = false;
        }
        doc[field] = value;
    }
}

function textField(name) {
    for (var i = 0; i < TEXT_FIELDS.length; i++) {
        if (lower(TEXT_FIELDS[i]) === lower(name)) {
            return TEXT_FIELDS[i];
        }
    }
    throw new Error("text has no field '" + name + "'");
}

function textWith(doc, value) {
    if (value !== null && typeof value === "object" && !isArray(value)) {
        for (var key in value) {
            if (value.hasOwnProperty(key)) {
                setTextField(doc, textField(key), value[key]);
            }
        }
    } else {
        doc.text = lines(value);
    }
    return doc;
}

function withField(property, fields, value) {
    var current = property.value, axes = {"x": 0, "y": 1, "z": 2, "r": 0, "g": 1, "b": 2, "a": 3}, at;
    if (fields.length !== 1) {
        throw new Error("a value has no field '" + fields.join(".") + "'");
    }
    if (isText(property)) {
        setTextField(current, textField(fields[0]), value);
        return current;
    }
    at = axes.hasOwnProperty(lower(fields[0])) ? axes[lower(fields[0])] : Number(fields[0]);
    if (!isArray(current) || !(at >= 0 && at < current.length)) {
        throw new Error("the value of '" + property.name + "' has no field '" + fields[0] + "'");
    }
    current = current.slice(0);
    current[at] = Number(value);
    return current;
}

function suited(property, value) {
    var current;
    if (isText(property)) {
        return textWith(property.value, value);
    }
    if (isArray(value)) {
        if (value.length === 3 && typeof PropertyValueType !== "undefined" && property.propertyValueType === PropertyValueType.COLOR) {
            return value.concat([1]);
        }
        return value;
    }
    if (typeof value === "boolean") {
        return value ? 1 : 0;
    }
    if (typeof value === "string") {
        current = property.value;
        if (typeof current === "number" && value !== "" && !isNaN(Number(value))) {
            return Number(value);
        }
    }
    return value;
}

// release takes away what would win over a fixed value.
function release(property) {
    if (property.expression) {
        property.expression = "";
    }
    while (property.numKeys > 0) {
        property.removeKey(property.numKeys);
    }
}

function put(property, value) {
    var i;
    if (property.dimensionsSeparated && isArray(value)) {
        for (i = 0; i < value.length && i < 3; i++) {
            put(property.getSeparationFollower(i), value[i]);
        }
        return;
    }
    release(property);
    property.setValue(value);
}

function express(asset, property, expression) {
    var message, line;
    if (property.canSetExpression === false) {
        refuse(asset, "Property '" + property.name + "' takes no expression");
    }
    property.expression = expression;
    property.expressionEnabled = true;
    try {
        property.valueAtTime(0, false);
    } catch (ignored) {
        message = String(ignored.message);
    }
    message = property.expressionError || "";
    if (message !== "") {
        line = /line\s+(\d+)/i.exec(message);
        refuse(asset, "After Effects expression error at line " + (line ? line[1] : 1) + ": " +
            message.replace(/^After Effects expression error( at line \d+)?:\s*/, "").replace(/[\r\n]+/g, " "));
    }
}

// ---- assets

function setText(asset, filter, target, value) {
    return eachLayer(asset, filter, [target], "is not a text layer", function (layer) {
        var found = locate(layer, ["ADBE Text Properties", "ADBE Text Document"], ".");
        if (found === null || !isText(found.property)) {
            return false;
        }
        put(found.property, suited(found.property, value));
        return true;
    });
}

function setData(asset, filter, target, path, value, expression) {
    var separator = path.indexOf("->") >= 0 ? "->" : ".", steps = path.split(separator);
    return eachLayer(asset, filter, [target], "has no property '" + path + "'", function (layer) {
        var found = locate(layer, steps, separator), given = value;
        if (found === null) {
            return false;
        }
        if (expression !== null && found.fields.length === 0) {
            express(asset, found.property, expression);
            return true;
        }
        if (expression !== null) {
            given = eval(expression);
        }
        put(found.property, found.fields.length > 0 ? withField(found.property, found.fields, given) : suited(found.property, given));
        return true;
    });
}

// putSource keeps the layer's name, which would follow a source of another name and be lost to expressions and to the
// assets behind this one.
function putSource(layer, item) {
    var name = layer.name;
    layer.replaceSource(item, true);
    if (layer.name !== name) {
        layer.name = name;
    }
}

// importFootage refuses data, which After Effects imports too: in place of a picture it would draw nothing.
function importFootage(path) {
    var item = app.project.importFile(new ImportOptions(new File(path))), name = item.name;
    if (!item.hasVideo && !item.hasAudio) {
        item.remove();
        throw new Error("'" + name + "' is no picture, film or sound");
    }
    return item;
}

function setMedia(asset, filter, target, path) {
    var item = null;
    return eachLayer(asset, filter, [target], "has no source that could be replaced", function (layer) {
        if (!layer.source) {
            return false;
        }
        if (item === null) {
            item = importFootage(path);
        }
        putSource(layer, item);
        return true;
    });
}

// controlled finds, before any asset has changed the order of layers, what a field of the panel drives. Beside each
// match name stands the place among its siblings, 0 where the name suffices.
function controlled(composition, layer, path, places) {
    var all = allCompositions(), found = null, p, at;
    for (var i = 0; i < all.length; i++) {
        if (all[i].id !== composition || layer > all[i].numLayers) {
            continue;
        }
        found = {layer: all[i].layer(layer), property: null};
        p = path.length > 0 ? found.layer : null;
        for (var k = 0; k < path.length && p !== null; k++) {
            at = places[k] > 0 ? direct(p, places[k]) : null;
            p = at !== null && at.matchName === path[k] ? at : direct(p, path[k]);
        }
        found.property = p;
    }
    return found;
}

function setOverrides(asset, filter, field, value) {
    var comps = compositions(asset, filter), done = 0, group, p;
    for (var i = 0; i < comps.length; i++) {
        for (var k = 1; k <= comps[i].numLayers; k++) {
            group = comps[i].layer(k).essentialProperty || null;
            p = group === null ? null : child(group, field);
            if (p !== null && isLeaf(p)) {
                put(p, suited(p, value));
                done++;
            }
        }
    }
    return done;
}

function setEssential(asset, filter, field, targets, value, path) {
    var done = 0, item = null, target;
    for (var i = 0; i < targets.length; i++) {
        target = targets[i];
        if (target === null) {
            continue;
        }
        if (path !== null) {
            item = item === null ? importFootage(path) : item;
            putSource(target.layer, item);
            done++;
        } else if (target.property !== null) {
            put(target.property, suited(target.property, value));
            done++;
        }
    }
    if (done === 0 && path === null) {
        done = setOverrides(asset, filter, field, value);
    }
    if (done === 0) {
        refuse(asset, "Field '" + field + "' not found in the Essential Graphics panel of composition '" + titled(filter) + "'");
    }
    return done;
}

function runScript(source, parameters) {
    var NX = {
        get: function (key) {
            return parameters.hasOwnProperty(key) ? parameters[key] : null;
        },
        set: function (key, value) {
            parameters[key] = value;
        },
        call: function (key, args) {
            var f = NX.get(key);
            if (typeof f === "string") {
                f = eval("(" + f + ")");
            }
            return typeof f === "function" ? f.apply(null, args || []) : f;
        },
        arg: function (key) {
            return NX.get(key);
        }
    };
    new Function("NX", "parameters", source)(NX, parameters);
}

// ---- functions

function unlock(layer) {
    if (layer.locked) {
        layer.locked = false;
    }
}

function compDurationSet(asset, filter, seconds) {
    var comps = compositions(asset, filter);
    for (var i = 0; i < comps.length; i++) {
        if (comps[i].workAreaStart + seconds > comps[i].duration) {
            comps[i].duration = comps[i].workAreaStart + seconds;
        }
        comps[i].workAreaDuration = seconds;
    }
    return comps.length;
}

function layerDurationSet(asset, filter, targets, seconds) {
    return eachLayer(asset, filter, targets, "has no duration", function (layer) {
        layer.outPoint = layer.inPoint + seconds;
    });
}

function layerStartSet(asset, filter, targets, seconds) {
    return eachLayer(asset, filter, targets, "has no start", function (layer) {
        layer.startTime = seconds;
    });
}

function layerStateSet(asset, filter, targets, visible) {
    return eachLayer(asset, filter, targets, "cannot be hidden", function (layer) {
        layer.enabled = visible;
    });
}

function layerRemove(asset, filter, targets) {
    return eachLayer(asset, filter, targets, "cannot be removed", function (layer) {
        unlock(layer);
        layer.remove();
    });
}

function layerAutoscale(asset, filter, targets, fill) {
    return eachLayer(asset, filter, targets, "has no size", function (layer, comp) {
        var scale = locate(layer, ["ADBE Transform Group", "ADBE Scale"], "."), width, height, bounds, x, y, s, current;
        if (layer.source && layer.source.width > 0 && layer.source.height > 0) {
            width = layer.source.width;
            height = layer.source.height;
        } else if (layer.sourceRectAtTime) {
            bounds = layer.sourceRectAtTime(layer.inPoint, false);
            width = bounds.width;
            height = bounds.height;
        }
        if (scale === null || !(width > 0) || !(height > 0)) {
            return false;
        }
        x = comp.width / width;
        y = comp.height / height;
        s = 100 * (fill ? Math.max(x, y) : Math.min(x, y));
        current = scale.property.value;
        put(scale.property, current.length === 3 ? [s, s, current[2]] : [s, s]);
        return true;
    });
}

function solidColorSet(asset, filter, targets, color) {
    return eachLayer(asset, filter, targets, "is not a solid", function (layer) {
        var main = layer.source ? layer.source.mainSource : null;
        if (!main || main.color === undefined) {
            return false;
        }
        main.color = color;
        return true;
    });
}

function textParamsSet(asset, filter, targets, fields) {
    return eachLayer(asset, filter, targets, "is not a text layer", function (layer) {
        var found = locate(layer, ["ADBE Text Properties", "ADBE Text Document"], ".");
        if (found === null || !isText(found.property)) {
            return false;
        }
        put(found.property, textWith(found.property.value, fields));
        return true;
    });
}

if (namedCompositions(allCompositions(), JOB_COMPOSITION).length === 0) {
    throw new Error("Composition '" + JOB_COMPOSITION + "' not found");
}
