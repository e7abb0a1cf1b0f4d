package dom

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// set is a project that scripts of the tests change: main shows nested, a picture, a text and a null.
func set(t testing.TB) *aep.Project {
	t.Helper()
	p := &aep.Project{Version: aep.Version{Major: 24, Minor: 1}, BitsPerChannel: 8, ExpressionEngine: "javascript-1.0"}
	folder := &aep.Item{ID: 1, Name: "Footage", Kind: aep.ItemFolder}
	pic := &aep.Item{ID: 2, Name: "photo.png", Kind: aep.ItemFootage, Parent: folder, Footage: &aep.Footage{Kind: aep.FootageFile,
		Width: 100, Height: 50, Still: true, HasVideo: true, PixelAspect: 1, Missing: true, File: aep.FileReference{FullPath: "/Users/a/photo.png"}}}
	blue := &aep.Item{ID: 3, Name: "Blue Solid 1", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid,
		Width: 640, Height: 360, Still: true, HasVideo: true, PixelAspect: 1, Color: [3]float64{0, 0, 1}}}
	comp := func(id uint32, name string) *aep.Item {
		return &aep.Item{ID: id, Name: name, Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 640, Height: 360, PixelAspect: 1,
			FrameRate: 25, FrameTicks: 1, TicksPerSecond: 25, Duration: 8, WorkAreaDuration: 8}}
	}
	main, nested := comp(4, "main"), comp(5, "nested")
	p.Items = []*aep.Item{folder, pic, blue, main, nested}
	id := uint32(100)
	add := func(c *aep.Item, name string, kind aep.LayerKind, source uint32, props ...*aep.Property) *aep.Layer {
		id++
		l := &aep.Layer{ID: id, Name: name, Kind: kind, Source: source, Stretch: 100, Out: 8, Enabled: true, AudioEnabled: true,
			EffectsEnabled: true, Blend: aep.BlendNormal, Quality: 2, Props: &aep.Property{Group: true, Enabled: true, Children: props}}
		c.Comp.Layers = append(c.Comp.Layers, l)
		aep.CompleteLayer(p, c.Comp, l)
		return l
	}
	text := func(content string) *aep.Property {
		doc := newDocument(content)
		doc.Runs[0].Style.Font = "Helvetica"
		return &aep.Property{Match: "ADBE Text Properties", Name: "Text", Group: true, Enabled: true, Children: []*aep.Property{
			{Match: "ADBE Text Document", Name: "Source Text", Enabled: true, Value: doc}}}
	}
	add(main, "title", aep.LayerText, 0, text("Hello"))
	add(main, "", aep.LayerAV, pic.ID)
	add(main, "inner", aep.LayerAV, nested.ID)
	bg := add(main, "bg", aep.LayerAV, blue.ID, &aep.Property{Match: "ADBE Effect Parade", Name: "Effects", Group: true, Enabled: true,
		Children: []*aep.Property{{Match: "ADBE Color Control", Name: "Brand", Group: true, Enabled: true, Children: []*aep.Property{
			{Match: "ADBE Color Control-0001", Name: "Color", Enabled: true, Color: true, Dimensions: 4, Value: aep.Numbers{1, 0, 0, 1}}}}}},
		&aep.Property{Match: "ADBE Layer Styles", Name: "Layer Styles", Group: true, Enabled: true, Children: []*aep.Property{
			{Match: "dropShadow/enabled", Name: "Drop Shadow", Group: true, Enabled: true}}})
	_ = bg
	add(nested, "subtitle", aep.LayerText, 0, text("Below"))
	nested.Comp.Controllers = []aep.Controller{{ID: "u1", Name: "Caption", Type: 6, Comp: 5, Layer: id, Path: []string{"ADBE Text Properties", "ADBE Text Document"}}}
	return p
}

type result struct {
	project *aep.Project
	log     string
	err     error
	folder  string
}

func run(t *testing.T, script string) result {
	t.Helper()
	return runIn(t, t.TempDir(), script)
}

func runIn(t *testing.T, folder, script string) result {
	t.Helper()
	var out bytes.Buffer
	p := set(t)
	err := Run(context.Background(), p, "job.jsx", script, Options{Folder: folder, Output: &out, Time: 10 * time.Second})
	return result{p, out.String(), err, folder}
}

// prelude gives the scripts of the tests a check of their own; a wrong value is a throw with its line.
const prelude = `function is(got, want) { if (String(got) !== String(want)) throw new Error("got " + got + ", want " + want); }
function fails(f, text) { try { f() } catch (e) { if (String(e).indexOf(text) < 0) throw new Error("threw " + e + ", want " + text); return }
	throw new Error("did not throw " + text); }
var main; for (var i = 1; i <= app.project.numItems; i++) if (app.project.item(i).name == "main" && app.project.item(i) instanceof CompItem) main = app.project.item(i);
`

func TestScripts(t *testing.T) {
	for name, script := range map[string]string{
		"finds items": `is(app.project.numItems, 5); is(app.project.items.length, 5); is(app.project.items[4].name, "main");
			is(app.project.item(2) === app.project.items[2], true); is(app.project.itemByID(4).name, "main");
			is(main instanceof CompItem, true); is(main instanceof AVItem, true); is(main instanceof FootageItem, false);
			is(app.project.item(2) instanceof FootageItem, true); is(app.project.item(1) instanceof FolderItem, true);
			is(app.project.item(1).numItems, 1); is(app.project.item(1).item(1).name, "photo.png"); is(app.project.item(2).parentFolder.name, "Footage");
			is(main.parentFolder.name, "Root"); is(app.project.rootFolder.numItems, 4); is(app.project.items[99], undefined);
			fails(function () { app.project.item(99) }, "out of range"); is(app.project.item(2).footageMissing, true)`,
		"finds layers": `is(main.numLayers, 4); is(main.layer(1).name, "title"); is(main.layer("title").index, 1); is(main.layers[2].name, "photo.png");
			is(main.layers[2].isNameSet, false); is(main.layer("none"), null); is(main.layers.byName("bg").index, 4);
			is(main.layer(1) instanceof TextLayer, true); is(main.layer(1) instanceof AVLayer, true); is(main.layer(2) instanceof TextLayer, false);
			is(main.layer(2) instanceof AVLayer, true); is(main.layer(1) === main.layers.byName("title"), true); is(main.layer("bg").containingComp === main, true);
			is(main.layer("inner").source.name, "nested"); is(main.layer("inner").source.usedIn[0].name, "main"); is(main.layer(1).source, null);
			is(main.layer(1).matchName, "ADBE Text Layer"); fails(function () { main.layer(9) }, "out of range")`,
		"finds properties": `var l = main.layer("title"); is(l.property("ADBE Transform Group").property("ADBE Opacity").value, 100);
			is(l.property("transform").property("opacity").value, 100); is(l.transform.opacity.value, 100); is(l.opacity.value, 100); is(l("Transform")("Opacity").value, 100);
			is(l.property("Position").matchName, "ADBE Position"); is(l.property("position").matchName, "ADBE Position");
			is(l.property("Source Text").matchName, "ADBE Text Document"); is(l.text.sourceText.value.text, "Hello"); is(l.sourceText.value, "Hello");
			is(l.property("Nothing"), null); is(l.anchorPoint.propertyValueType == PropertyValueType.ThreeD_SPATIAL, true);
			is(l.property("Source Text").propertyValueType, PropertyValueType.TEXT_DOCUMENT); is(l.opacity.parentProperty.matchName, "ADBE Transform Group");
			is(l.opacity.propertyGroup(2) === l, true); is(l.property(1).propertyIndex, 1); is(l.transform.numProperties > 5, true);
			var e = main.layer("bg").effect("Brand"); is(e.name, "Brand"); is(e("Color").value, "1,0,0,1"); is(e.color.value, "1,0,0,1");
			is(main.layer("bg").property("Effects")(1)(1).propertyValueType, PropertyValueType.COLOR); is(main.layer("bg").Effects.numProperties, 1);
			is(main.layer("bg").property("ADBE Effect Parade").property("Brand").isEffect, true); is(l.opacity.propertyType, PropertyType.PROPERTY)`,
		"sets values": `var l = main.layer("title"); l.opacity.setValue(50); is(l.opacity.value, 50); l.position.setValue([1, 2]); is(l.position.value[0], 1); is(l.position.value[1], 2);
			l.scale.setValue([10, 20, 100]); is(l.scale.value[1], 20); main.layer("bg").effect(1)(1).setValue([0, 1, 0]); is(main.layer("bg").effect(1)(1).value, "0,1,0,1");
			main.layer("bg").effect(1)(1).setValue([0, 0, 1, 0.5]); is(main.layer("bg").effect(1)(1).value, "0,0,1,0.5");
			fails(function () { l.opacity.setValue("abc") }, "not a number"); fails(function () { l.position.setValue(5) }, "array"); fails(function () { l.transform.setValue(5) }, "")
			fails(function () { l.opacity.value = 5 }, "read-only"); fails(function () { l.opacity.setValue([1, 2]) }, "array")`,
		"sets layer styles": `var s = main.layer("bg").property("ADBE Layer Styles").property("dropShadow/enabled"); is(s.name, "Drop Shadow"); is(s.canSetEnabled, true);
			s.property("dropShadow/opacity").setValue(50); is(s.opacity.value, 50); s.property("Color").setValue([0, 1, 0]); is(s.property("dropShadow/color").value, "0,1,0,1");
			s.property("dropShadow/distance").setValueAtTime(0, 3); is(main.layer("bg").layerStyle.dropShadow.distance.numKeys, 1); s.enabled = false; is(s.enabled, false)`,
		"sets frame blending": `var l = main.layer("inner"); is(l.frameBlendingType, FrameBlendingType.NO_FRAME_BLEND); l.frameBlending = true; is(l.frameBlendingType, FrameBlendingType.FRAME_MIX);
			l.frameBlendingType = FrameBlendingType.PIXEL_MOTION; is(l.frameBlendingType, 4014); is(main.frameBlending, false); main.frameBlending = true; is(main.frameBlending, true); is(main.preserveNestedFrameRate, false); main.preserveNestedFrameRate = true; is(main.preserveNestedFrameRate, true);
			l.frameBlendingType = FrameBlendingType.NO_FRAME_BLEND; is(l.frameBlending, false)`,
		"sets text": `var p = main.layer("title").property("ADBE Text Properties").property("ADBE Text Document"); p.setValue("New\nline"); is(p.value.text, "New\rline"); is(p.value.font, "Helvetica");
			var d = p.value; d.text = "a\rb"; d.fontSize = 72; d.fillColor = [1, 0, 0]; d.font = "Arial-BoldMT"; d.tracking = 50; d.leading = 80; d.justification = ParagraphJustification.CENTER_JUSTIFY;
			d.applyStroke = true; d.strokeColor = [0, 1, 0]; d.strokeWidth = 3; d.allCaps = true; is(p.value.fontSize, 36); p.setValue(d);
			var v = p.value; is(v.text, "a\rb"); is(v.fontSize, 72); is(v.fillColor, "1,0,0"); is(v.font, "Arial-BoldMT"); is(v.tracking, 50); is(v.leading, 80); is(v.autoLeading, false);
			is(v.justification, 7415); is(v.strokeWidth, 3); is(v.allCaps, true); is(v.strokeColor, "0,1,0"); p.setValue(new TextDocument("fresh")); is(p.value.text, "fresh");
			is("" + p.value, "fresh"); fails(function () { d.fontSize = -4 }, "out of range")`,
		"sets keyframes": `var o = main.layer("title").opacity; o.setValueAtTime(0, 0); o.setValueAtTime(2, 100); is(o.numKeys, 2); is(o.valueAtTime(1, false), 50); is(o.keyTime(2), 2); is(o.keyValue(1), 0);
			fails(function () { o.setValue(5) }, "keyframes"); o.setValueAtKey(1, 20); is(o.keyValue(1), 20); o.setValueAtTime(2, 80); is(o.numKeys, 2); is(o.addKey(1), 2); is(o.keyValue(2), 50);
			is(o.nearestKeyIndex(1.9), 3); o.setInterpolationTypeAtKey(1, KeyframeInterpolationType.HOLD); is(o.keyOutInterpolationType(1), 6614); is(o.valueAtTime(0.9, false), 20);
			while (o.numKeys) o.removeKey(o.numKeys); o.setValue(7); is(o.value, 7); o.setValuesAtTimes([0, 1], [1, 2]); is(o.numKeys, 2); is(o.isTimeVarying, true);
			o.setTemporalEaseAtKey(1, [new KeyframeEase(0, 75)]); is(o.keyInTemporalEase(1)[0].influence, 75); fails(function () { o.keyTime(9) }, "no keyframe")`,
		"sets expressions": `var o = main.layer("title").opacity; o.expression = "25 + 5"; is(o.value, 30); is(o.valueAtTime(0, true), 100); is(o.expressionEnabled, true); is(o.expressionError, ""); is(o.canSetExpression, true);
			o.expression = "1;\nnothing"; is(o.expressionEnabled, false); is(o.expressionError.indexOf("error at line 2") > 0, true); is(o.value, 100); o.expression = ""; is(o.expressionEnabled, false);
			is(o.expressionError, ""); var p = main.layer("title").property("Position"); p.expression = "[5*time,250]"; is(p.valueAtTime(2, false)[0], 10);
			main.layer("title").sourceText.expression = "'x' + time"; is(main.layer("title").sourceText.value.text, "x0")`,
		"arranges layers": `var l = main.layer("title"); l.moveToEnd(); is(l.index, 4); is(main.layer(1).name, "photo.png"); l.moveBefore(main.layer(1)); is(l.index, 1); l.moveAfter(main.layer("inner"));
			is(main.layer("inner").index + 1, l.index); l.moveToBeginning(); is(l.index, 1); var d = l.duplicate(); is(main.numLayers, 5); is(d.index, 1); is(d.name, "title 2"); d.sourceText.setValue("copy");
			is(l.sourceText.value, "Hello"); d.remove(); is(main.numLayers, 4); fails(function () { d.name }, "invalid"); l.parent = main.layer("bg"); is(l.parent.name, "bg");
			fails(function () { main.layer("bg").parent = l }, "own parent"); main.layer("bg").remove(); is(l.parent, null); l.locked = true; fails(function () { l.remove() }, "locked")`,
		"times layers": `var l = main.layer("title"); l.inPoint = 1; l.outPoint = 3; is(l.inPoint, 1); is(l.outPoint, 3); l.startTime = 2; is(l.inPoint, 3); is(l.outPoint, 5); l.stretch = 50; is(l.outPoint, 3.5); is(l.inPoint, 2.5);
			l.enabled = false; is(l.enabled, false); l.blendingMode = BlendingMode.DANCING_DISSOLVE; is(l.blendingMode, 5214); l.blendingMode = BlendingMode.MULTIPLY; is(l.blendingMode, 5216); l.trackMatteType = TrackMatteType.LUMA; is(l.trackMatteType, 5015);
			l.adjustmentLayer = true; l.threeDLayer = true; l.solo = true; l.shy = true; l.audioEnabled = false; l.quality = LayerQuality.DRAFT; is(l.quality, 4613); fails(function () { l.blendingMode = 3 }, "range")`,
		"changes compositions": `main.duration = 4; is(main.duration, 4); is(main.workAreaDuration, 4); main.workAreaStart = 1; is(main.workAreaDuration, 3); main.width = 1280; main.bgColor = [1, 0.5, 0]; is(main.bgColor, "1,0.5,0");
			main.frameRate = 30; is(Math.round(main.frameDuration * 30), 1); main.name = "renamed"; is(app.project.item(4).name, "renamed"); var c = main.duplicate(); is(c.numLayers, 4); is(c.name, "renamed 2");
			c.layer(1).sourceText.setValue("own"); is(main.layer(1).sourceText.value, "Hello"); fails(function () { main.width = -1 }, "out of range"); fails(function () { main.numLayers = 5 }, "read-only")`,
		"exposes compositions": `is(main.motionBlurSamplesPerFrame, 16); is(main.motionBlurAdaptiveSampleLimit, 128); main.motionBlurSamplesPerFrame = 32; is(main.motionBlurSamplesPerFrame, 32);
			main.motionBlurAdaptiveSampleLimit = 256; is(main.motionBlurAdaptiveSampleLimit, 256); main.shutterAngle = 360; is(main.shutterAngle, 360); main.shutterPhase = -180; is(main.shutterPhase, -180);
			fails(function () { main.motionBlurSamplesPerFrame = 65 }, "out of range"); fails(function () { main.motionBlurAdaptiveSampleLimit = 8 }, "out of range")`,
		"adds things": `var c = app.project.items.addComp("new", 320, 240, 1, 5, 25); is(c instanceof CompItem, true); var s = c.layers.addSolid([1, 0, 0], "red", 320, 240, 1); is(s.source.mainSource.color, "1,0,0"); is(s.source instanceof FootageItem, true);
			is(s.source.mainSource instanceof SolidSource, true); var t = c.layers.addText("words"); is(t instanceof TextLayer, true); is(t.index, 1); is(t.sourceText.value.text, "words"); is(c.layers.addNull().nullLayer, true);
			is(c.layers.addShape() instanceof ShapeLayer, true); is(c.layers.addCamera("cam", [0, 0]) instanceof CameraLayer, true); var n = c.layers.add(main); is(n.source.name, "main"); is(n.outPoint, 8);
			fails(function () { main.layers.add(c) }, "contain itself"); var f = app.project.items.addFolder("f"); c.parentFolder = f; is(f.item(1).name, "new"); is(t.position.value[0], 160);
			var m = t.property("Masks").addProperty("Mask"); m.maskMode = MaskMode.SUBTRACT; is(m.maskMode, 6814); var sh = new Shape(); sh.vertices = [[0, 0], [10, 0], [10, 10]]; sh.closed = true;
			m.property("ADBE Mask Shape").setValue(sh); is(m.property("Mask Path").value.vertices.length, 3); is(t.mask(1).maskOpacity.value, 100);
			var e = t.Effects.addProperty("ADBE Slider Control"); is(t.effect(1).matchName, "ADBE Slider Control"); e.remove(); is(t.Effects.numProperties, 0)`,
		"removes things": `app.project.item(3).remove(); is(app.project.numItems, 4); is(main.numLayers, 3); app.project.item(1).remove(); is(app.project.numItems, 2); is(main.numLayers, 2)`,
		"essential properties": `var e = main.layer("inner").essentialProperty; is(e.numProperties, 1); is(e.property(1).name, "Caption"); e.property("Caption").setValue("Changed");
			is(main.layer("inner").source.layer(1).sourceText.value.text, "Changed"); is(e("caption").essentialPropertySource.value.text, "Changed"); is(e.property("none"), null)`,
		"essential properties of two layers": `var a = main.layer("inner"), b = a.duplicate(), items = app.project.numItems;
			b.essentialProperty.property("Caption").setValue("Two"); a.essentialProperty.property("Caption").setValue("One"); b.essentialProperty("Caption").setValue("Second");
			is(a.source.layer(1).sourceText.value.text, "One"); is(b.source.layer(1).sourceText.value.text, "Second"); is(b.source.name, a.source.name); is(app.project.numItems, items + 1)`,
		"markers":        `var m = main.layer("title").property("Marker"); if (m) { m.setValueAtTime(1, new MarkerValue("go")); is(m.numKeys, 1); is(m.keyTime(1), 1); is(m.keyValue(1).comment, "go"); }`,
		"application":    `app.beginUndoGroup("x"); app.endUndoGroup(); app.beginSuppressDialogs(); app.endSuppressDialogs(false); is(app.version, "24.1x0"); is(app.isRenderEngine, true); app.exitCode = 0; app.purge(PurgeTarget.ALL_CACHES); is(app.project.renderQueue.numItems, 0); var q = app.project.renderQueue.items.add(main); is(q.comp.name, "main"); q.outputModule(1).file = new File("x.mov"); is(app.project.bitsPerChannel, 8); fails(function () { app.project.save() }, "not available"); fails(function () { app.open(File("x")) }, "not available"); fails(function () { new CompItem() }, "constructed")`,
		"extendscript":   "#target aftereffects\n//@target aftereffects\n#targetengine 'main'\n(function () { is(typeof $.global, 'object'); is(JSON.stringify({a: 1}), '{\"a\":1}'); $.sleep(0); is(isValid(main), true); try { null.x } catch (e) { is(typeof e.line, 'number') } })()",
		"separates":      `var p = main.layer("title").position; p.setValue([3, 4]); p.dimensionsSeparated = true; is(p.dimensionsSeparated, true); is(p.getSeparationFollower(0).value, 3); p.getSeparationFollower(1).setValue(9); p.dimensionsSeparated = false; is(p.value[1], 9)`,
		"source rect":    `var r = main.layer("bg").sourceRectAtTime(0, false); is(r.width, 640); is(r.height, 360); is(r.top, 0); is(main.layer("title").sourceRectAtTime(0, false).width > 10, true)`,
		"colour strings": `is(main.layer("bg").source.mainSource.color[2], 1); main.layer("bg").source.mainSource.color = [1, 0, 0]; is(main.layer("bg").source.mainSource.color[0], 1)`,
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, prelude+script)
			var se *ScriptError
			if errors.As(r.err, &se) {
				t.Fatalf("line %d: %s", se.Line, se.Message)
			}
			if r.err != nil {
				t.Fatal(r.err)
			}
		})
	}
}

// Each composition shows the one before ten times: what walked them all would not end.
func TestCompositionsThatMultiplyAreLookedAtOnce(t *testing.T) {
	r := run(t, prelude+`var inner = main;
for (var i = 0; i < 20; i++) { var c = app.project.items.addComp("c" + i, 10, 10, 1, 1, 25);
	for (var k = 0; k < 10; k++) c.layers.add(inner); inner = c }
is(inner.hasAudio, false); fails(function () { main.layers.add(inner) }, "can't contain itself")`)
	if r.err != nil {
		t.Fatal(r.err)
	}
}

func TestAThrowNamesMessageAndLine(t *testing.T) {
	for _, c := range []struct {
		script, want string
		line         int
	}{
		{"var a = 1;\nthrow new Error(\"Layer 'x' not found in composition 'main' (asset 2)\");", "Layer 'x' not found in composition 'main' (asset 2)", 2},
		{"\n\nthrow 'words'", "words", 3},
		{"var x = ;", "SyntaxError", 1},
		{"\nnothing()", "ReferenceError: nothing is not defined", 2},
		{"app.project.item(77)", "out of range 1 to 5", 1},
		{"\r\n\r\napp.project.item(4).layer('title').opacity.setValue('x')", "Unable to set \"Opacity\"", 3},
	} {
		r := run(t, c.script)
		var se *ScriptError
		if !errors.As(r.err, &se) || !strings.Contains(se.Message, c.want) || se.Line != c.line || se.File != "job.jsx" {
			t.Errorf("%q: %#v, want %q in line %d", c.script, r.err, c.want, c.line)
		}
	}
}

func TestFootageOfTheJobsFolder(t *testing.T) {
	folder := t.TempDir()
	writePicture(t, filepath.Join(folder, "new photo.png"), 200, 200)
	write(t, filepath.Join(folder, "data.json"), `{"a": [1, 2]}`)
	for _, name := range []string{"run_001.png", "run_002.png", "run_003.png"} {
		writePicture(t, filepath.Join(folder, name), 20, 10)
	}
	r := runIn(t, folder, prelude+`
var it = app.project.importFile(new ImportOptions(new File("new photo.png"))); is(it.width, 200); is(it.name, "new photo.png"); is(it.hasVideo, true);
var l = main.layer("photo.png"); l.anchorPoint.setValue([50, 25]); l.replaceSource(it, true); is(l.source === it, true); is(l.name, "new photo.png"); is(l.anchorPoint.value[0], 100); is(l.anchorPoint.value[1], 100);
app.project.item(2).replace(new File("new photo.png")); is(app.project.item(2).footageMissing, false); is(app.project.item(2).width, 200);
var d = app.project.importFile(new ImportOptions(File("data.json"))); d.name = "d.json"; var o = main.layer("title").opacity; o.expression = "footage('d.json').sourceData.a[1]"; is(o.expressionError, ""); is(o.value, 2);
fails(function () { app.project.importFile(new ImportOptions(new File("none.png"))) }, "does not exist"); fails(function () { app.project.importFile(new ImportOptions(new File("/etc/passwd"))) }, "outside");
var io = new ImportOptions(new File("new photo.png")); io.importAs = ImportAsType.PROJECT; fails(function () { app.project.importFile(io) }, "only be imported as footage");
var seq = new ImportOptions(new File("run_001.png")); seq.sequence = true; is(app.project.importFile(seq).duration, 0.1);
fails(function () { l.replaceSource(main, false) }, "contain itself"); fails(function () { main.layer("title").replaceSource(it, false) }, "no source")`)
	if r.err != nil {
		t.Fatal(r.err)
	}
}

func TestFilesOfTheJobsFolder(t *testing.T) {
	folder := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.txt")
	write(t, outside, "secret")
	if err := os.Symlink(outside, filepath.Join(folder, "link.txt")); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(folder, "linked")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "lib.jsx"), "var fromLib = 41;\nfunction broken() {\n  throw new Error('in the library');\n}")
	r := runIn(t, folder, `#include "lib.jsx"
`+prelude+`
is(fromLib, 41); var f = new File("out.txt"); is(f.exists, false); is(f.open("w"), true); f.writeln("one"); f.write("two"); f.close(); is(f.exists, true); is(f.length, 7);
f.open("r"); is(f.readln(), "one"); is(f.eof, false); is(f.read(), "two"); is(f.eof, true); f.close(); is(f.name, "out.txt"); is(f.parent.exists, true); is(Folder("sub").create(), true);
var odd = new File("100%2525 a%2503d%.txt"); is(odd.displayName, "100%25 a%03d%.txt"); is(odd.open("w"), true); odd.close(); is(new File(String(odd)).exists, true);
is(new File(odd.path + "/" + odd.name).exists, true); is(new File(odd.absoluteURI).exists, true); is(File.decode("%41%zz%4"), "A%zz%4"); is(new File("100%25 a%03d%.txt").exists, false); is(odd.remove(), true);
is(Folder(".").getFiles("*.txt").length >= 1, true); is(new File(f.fsName).exists, true); is(f instanceof File, true); is(File("a%20b.txt").displayName, "a b.txt"); is(f.remove(), true);
var bad = ["/etc/passwd", "../x", "`+outside+`", "sub/../../x", "%2e%2e%2fx", "sub%2f..%2f%2e./x"]; for (var i = 0; i < bad.length; i++) (function (p) {
	is(new File(p).exists, false); fails(function () { new File(p).open("r") }, "outside the job's folder"); fails(function () { new File(p).open("w") }, "outside the job's folder");
	fails(function () { new File(p).remove() }, "outside"); fails(function () { $.evalFile(p) }, "outside"); fails(function () { new Folder(p).create() }, "outside"); fails(function () { Folder(p).getFiles() }, "outside") })(bad[i]);
is(new File("link.txt").open("r"), false); is(new File("linked/secret.txt").open("r"), false); is(new File("link.txt").read(), ""); is(Folder("linked").getFiles().length, 0);
fails(function () { app.project.importFile(new ImportOptions(new File("link.txt"))) }, "outside"); fails(function () { $.evalFile("link.txt") }, "no such file"); is($.evalFile("lib.jsx"), undefined)`)
	if r.err != nil {
		t.Fatal(r.err)
	}
	r = runIn(t, folder, "#include 'lib.jsx'\nbroken()")
	var se *ScriptError
	if !errors.As(r.err, &se) || se.File != "lib.jsx" || se.Line != 3 {
		t.Errorf("an error of an include: %#v", r.err)
	}
	for _, inc := range []string{"../lib.jsx", "/etc/passwd", "none.jsx", "link.txt"} {
		if r := runIn(t, folder, "#include \""+inc+"\""); r.err == nil {
			t.Errorf("#include %q gave no error", inc)
		}
	}
}

func TestLogLines(t *testing.T) {
	r := run(t, `$.writeln("one ", 2); alert("three"); if (!confirm("sure?")) throw 1; prompt("name", "x")`)
	if r.err != nil || r.log != "one 2\nalert: three\nconfirm: sure? (answered yes)\nprompt: name (answered \"x\")\n" {
		t.Errorf("%v %q", r.err, r.log)
	}
}

func TestHostileScriptsEnd(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"endless loop":       {"while (true) {}", "longer than"},
		"uncatchable":        {"while (true) { try { while (true) {} } catch (e) {} }", "longer than"},
		"memory of strings":  {"var s = 'xxxxxxxxxxxxxxxx'; while (true) s += s", "memory"},
		"memory of arrays":   {"var a = []; while (true) a.push('z'.repeat(1e6) + a.length)", "memory"},
		"repeat":             {"'x'.repeat(1e9)", "Invalid string length"},
		"join":               {"new Array(4e9).join('x')", "Invalid array length"},
		"recursion":          {"function f() { return f() } f()", "recursion"},
		"recursion of calls": {"function f() { return [1].map(f) } f()", "recursion"},
		"getters":            {"var o = {get a() { return this.a }}; o.a", "recursion"},
		"deep source":        {strings.Repeat("(", 1e5), "nested"},
		"sockets":            {"new Socket()", "not allowed"},
		"programs":           {"system.callSystem('ls')", "not allowed"},
		"execute":            {"new File('x').execute()", "not allowed"},
		"changed prototypes": {"Object.prototype.get = function () { throw 1 }; Array.prototype.toString = null; Error = null; app.project.item(99)", "out of range"},
		"foreign receiver":   {"CompItem.prototype.layer.call({}, 1)", "invalid"},
		"own classes":        {"Layer = null; TextLayer = {}; var l = app.project.item(4).layer(1); l.__proto__ = null; app.project.item(4).layer(1).name.x.y", ""},
		"no require":         {"require('fs')", "require is not defined"},
		"array-likes":        {"Array.prototype.indexOf.call({length: 9e15}, 1)", "Invalid array length"},
		"full disk":          {"var f = new File('x'); f.open('w'); for (;;) f.write('0123456789abcdef'.repeat(4096))", "writes more than 1 MiB"},
		"copies":             {"var f = new File('x'); f.open('w'); f.write('x'.repeat(4e5)); f.close(); for (var i = 0; ; i++) f.copy('c' + i)", "writes more than 1 MiB"},
		"no array of values": {"app.project.item(4).layer(1).position.setValuesAtTimes([0, 1], {})", "as many values as times"},
		"no array of points": {"new Shape().vertices = {}", "an array of [x, y]"},
		"many floats":        {"app.project.item(4).layer(1).position.setValue({length: 1e9})", "array"},
	} {
		t.Run(name, func(t *testing.T) {
			p := set(t)
			limit := time.Second
			if c.want == "memory" {
				limit = 2 * time.Minute
			}
			err := Run(context.Background(), p, "hostile.jsx", c.script, Options{Folder: t.TempDir(), Time: limit, Memory: 64 << 20, Written: 1 << 20})
			var se *ScriptError
			if !errors.As(err, &se) || !strings.Contains(se.Message, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestCancelling(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := Run(ctx, set(t), "x.jsx", "while (true) {}", Options{})
	if err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("got %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func writePicture(t *testing.T, path string, w, h int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, image.NewRGBA(image.Rect(0, 0, w, h))), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestBinaryFilesAreReadAndWrittenByteForByte(t *testing.T) {
	folder := t.TempDir()
	content := make([]byte, 256)
	for i := range content {
		content[i] = byte(i)
	}
	if err := os.WriteFile(filepath.Join(folder, "in.bin"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	r := runIn(t, folder, `
		var from = new File("in.bin"), to = new File("out.bin"), text;
		from.encoding = to.encoding = "BINARY";
		from.open("r"); to.open("w");
		text = from.read(200);
		if (text.length !== 200 || text.charCodeAt(199) !== 199) { throw new Error("read " + text.length); }
		to.write(text, from.read());
		from.close(); to.close();
		for (var i = 0; i < 100; i++) { from.open("r"); from.close(); } // files that are closed do not count as open`)
	if r.err != nil {
		t.Fatal(r.err)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "out.bin")); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%x, %v", got, err)
	}
}
