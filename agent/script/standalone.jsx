function tell(text) {
    var file = new File(OUTCOME);
    file.encoding = "UTF-8";
    file.open("w");
    file.write(text);
    file.close();
}

try {
    new File(SCRIPT).remove();
} catch (ignored) {
    // whoever wrote it removes it
}
app.beginSuppressDialogs();
try {
    app.open(new File(PROJECT));
    apply();
    app.project.save(new File(SAVED));
    tell("ok");
} catch (error) {
    tell("error: " + (error && error.message !== undefined ? error.message : String(error)));
}
try {
    app.project.close(CloseOptions.DO_NOT_SAVE_CHANGES);
} catch (ignored) {
    // nothing is open
}
app.endSuppressDialogs(false);
app.quit();
