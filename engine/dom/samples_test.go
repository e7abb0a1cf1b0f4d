package dom

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

func openSample(t *testing.T, path string) *aep.Project {
	t.Helper()
	p, err := aep.Open(context.Background(), path, aep.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	aep.Complete(p)
	return p
}

// everything reads every property of every layer, finds it again by its names, and sets it to the value it has.
const everything = `
function walk(g) { var n = 0; for (var i = 1; i <= g.numProperties; i++) { var p = g.property(i); n++;
	if (g.property(p.matchName) === null) throw new Error("not found by match name: " + p.matchName);
	if (g.property(p.name) === null) throw new Error("not found by name: " + p.name);
	if (p.propertyIndex !== i) throw new Error("index of " + p.name);
	if (p.numProperties !== undefined) { n += walk(p); continue }
	var v = p.value, t = p.propertyValueType;
	if (p.numKeys) { p.keyValue(1); p.valueAtTime(1, false) }
	if (p.numKeys || v === null || p.dimensionsSeparated || t === PropertyValueType.CUSTOM_VALUE || t === PropertyValueType.LAYER_INDEX) continue;
	p.setValue(v);
	if (!p.expression && String(p.value) !== String(v)) throw new Error(p.matchName + ": " + v + " became " + p.value) }
	return n }
var layers = 0, n = 0;
for (var i = 1; i <= app.project.numItems; i++) { var c = app.project.item(i); if (!(c instanceof CompItem)) continue;
	for (var k = 1; k <= c.numLayers; k++) { var l = c.layer(k); layers++; n += walk(l);
		if (l instanceof AVLayer && isNaN(l.sourceRectAtTime(0, false).width)) throw new Error("bounds of " + l.name) } }
$.writeln(layers && n ? "layers" : "none")`

func TestEveryPropertyOfRealProjects(t *testing.T) {
	projects, withLayers := 0, 0
	err := filepath.WalkDir(aeptest.Samples(t), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".aep", ".aet", ".aepx":
		default:
			return nil
		}
		projects++
		var out bytes.Buffer
		if err := Run(context.Background(), openSample(t, path), "walk.jsx", everything, Options{Output: &out}); err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
		if strings.HasPrefix(out.String(), "layers") {
			withLayers++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d projects, %d with layers", projects, withLayers)
	if withLayers == 0 {
		t.Error("no project with layers was found: nothing was tested")
	}
}

func TestTheFilmsScript(t *testing.T) {
	dir := aeptest.Samples(t, "inlife+nexrender-boilerplate")
	p := openSample(t, filepath.Join(dir, "assets", "nm05ae12.aet"))
	var out bytes.Buffer
	err := Run(context.Background(), p, "film.jsx", prelude+`
function layer(name) { for (var i = 1; i <= main.numLayers; i++) { var l = main.layer(i); if (l.name === name || l.source && l.source.name === name) return l } throw new Error("Layer '" + name + "' not found") }
var io = new ImportOptions(new File("assets/2016-aug-deep.jpg")), it = app.project.importFile(io); var bg = layer("background.jpg"); bg.replaceSource(it, true);
is(bg.source === it, true); is(bg.name, "2016-aug-deep.jpg"); is(it.hasVideo, true);
layer("artist").property("position").expression = "[5*time,250]"; is(layer("artist").property("position").expressionError, "");
is(layer("artist").property("position").valueAtTime(10, false)[0], 50);
var text = layer("track name").property("Source Text"); text.expression = ""; text.setValue("lorem"); is(text.value.text, "lorem");
is(layer("00:00").property("Source Text").value.text, "00:00");
is(layer("progress").property("ADBE Root Vectors Group").numProperties > 0, true)`, Options{Folder: dir, Output: &out})
	if err != nil {
		t.Fatal(err)
	}
}
