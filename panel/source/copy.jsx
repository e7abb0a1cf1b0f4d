// The project file that is sent: the saved project, or a copy reduced to the chosen compositions.

// saveProject saves changes; it throws where After Effects did not.
function saveProject() {
    if (app.project.dirty) {
        app.project.save();
    }
    if (!app.project.file || !app.project.file.exists) {
        throw problem("The project is not saved");
    }
}

// reducedCopy saves a copy of the project with only what the compositions need, and opens the project itself again. The copy lies beside
// it, so that its footage stands where it stood.
function reducedCopy(ids) {
    var original = app.project.file, copy, kept = [], i;
    copy = fileAt(original.parent.fsName + "/" + stem(baseName(original.fsName)) + " (for the farm " + randomText(4) + ").aep");
    for (i = 0; i < ids.length; i++) {
        kept.push(itemOf(ids[i]));
    }
    app.beginSuppressDialogs();
    try {
        app.project.reduceProject(kept);
        app.project.save(copy);
    } finally {
        // Whatever happened, the artist has the project as it was.
        app.project.close(CloseOptions.DO_NOT_SAVE_CHANGES);
        app.open(original);
        app.endSuppressDialogs(false);
    }
    if (!copy.exists) {
        throw problem("Cannot write a copy of the project beside it: " + copy.fsName);
    }
    return copy;
}
