// What the open project holds.

function isComposition(item) {
    return item instanceof CompItem;
}

function isFile(item) {
    return (item instanceof FootageItem) && (item.mainSource instanceof FileSource);
}

// compositions are those of the project, in the order of their names.
function compositions() {
    var list = [], i, item;
    for (i = 1; i <= app.project.numItems; i++) {
        item = app.project.item(i);
        if (isComposition(item)) {
            list.push({id: item.id, name: item.name, frames: Math.round(item.duration * item.frameRate), rate: item.frameRate, width: item.width, height: item.height,
                queued: false, selected: item.selected === true});
        }
    }
    markQueued(list);
    list.sort(function (a, b) {
        return a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1;
    });
    return list;
}

// markQueued marks compositions that wait in the render queue.
function markQueued(list) {
    var i, n, item;
    for (i = 1; i <= app.project.renderQueue.numItems; i++) {
        item = app.project.renderQueue.item(i);
        for (n = 0; n < list.length; n++) {
            if ((item.comp.id === list[n].id) && item.render) {
                list[n].queued = true;
            }
        }
    }
}

// itemOf finds an item by its id, null where it has gone.
function itemOf(id) {
    for (var i = 1; i <= app.project.numItems; i++) {
        if (app.project.item(i).id === id) {
            return app.project.item(i);
        }
    }
    return null;
}

// usedBy gives what compositions show, at any depth: the items of files, the fonts and the effects.
function usedBy(ids) {
    var found = {files: [], fonts: [], effects: [], compositions: []}, seen = {}, queue = [], i, comp;

    function add(list, thing) {
        if (thing && (indexOf(list, thing) < 0)) {
            list.push(thing);
        }
    }

    function look(item) {
        if (!item || seen[item.id]) {
            return;
        }
        seen[item.id] = true;
        if (isComposition(item)) {
            queue.push(item);
        } else if (isFile(item)) {
            found.files.push(item);
        }
    }

    for (i = 0; i < ids.length; i++) {
        look(itemOf(ids[i]));
    }
    while (queue.length > 0) {
        comp = queue.shift();
        found.compositions.push(comp);
        for (i = 1; i <= comp.numLayers; i++) {
            lookAtLayer(comp.layer(i), found, look, add);
        }
    }
    return found;
}

function lookAtLayer(layer, found, look, add) {
    var effects, text, i;
    if (layer.source) {
        look(layer.source);
    }
    effects = layer.property("ADBE Effect Parade");
    for (i = 1; effects && (i <= effects.numProperties); i++) {
        add(found.effects, effects.property(i).matchName);
    }
    text = layer.property("ADBE Text Properties");
    text = text ? text.property("ADBE Text Document") : null;
    if (text) {
        add(found.fonts, text.value.font);
        for (i = 1; i <= text.numKeys; i++) {
            add(found.fonts, text.keyValue(i).font);
        }
    }
}

// substituted are fonts that this After Effects itself lacks. Versions before 24 cannot say.
function substituted() {
    var names = [], list, i;
    try {
        list = app.fonts.missingOrSubstitutedFonts;
        for (i = 0; i < list.length; i++) {
            names.push(list[i].postScriptName);
        }
    } catch (ignored) {
        return [];
    }
    return names;
}
