package dom

import (
	"context"
	"strings"
	"testing"
	"time"
)

// FuzzScript looks for scripts that make the object model itself fail.
func FuzzScript(f *testing.F) {
	for _, s := range []string{
		"app.project.item(4).layer(1).property(1).property(1).setValue(5)",
		"main.layer(1).opacity.setValueAtTime(1, 2); main.layer(1).opacity.removeKey(1)",
		"main.layers.addSolid([1,0,0], 'x', 10, 10, 1).remove()",
		"main.layer(2).replaceSource(app.project.item(3), true)",
		"var d = main.layer(1).sourceText.value; d.fillColor = [1,2,3]; main.layer(1).sourceText.setValue(d)",
		"main.layer(4).effect(1)(1).setValue([1,2,3,4])",
		"main.layer(1).mask.addProperty('ADBE Mask Atom').property(1).setValue(new Shape())",
		"main.layer(1).position.dimensionsSeparated = true",
		"main.layer(3).essentialProperty(1).setValue('x')",
		"main.layer(1).opacity.expression = 'wiggle(1,2)'",
		"main.duplicate().remove(); main.layer(1).moveTo(3).x",
		"for (var k in main.layer(1)) main.layer(1)[k]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if len(script) > 1000 {
			return
		}
		err := Run(context.Background(), set(t), "fuzz.jsx", "var main = app.project.item(4);"+script, Options{Time: time.Second})
		if err != nil && strings.Contains(err.Error(), "fault of the object model") {
			t.Fatalf("%q: %v", script, err)
		}
	})
}

// TestEveryAttributeCanBeRead reads and calls, without arguments, whatever the object model has: a throw is fine, a
// fault of the model is not.
func TestEveryAttributeCanBeRead(t *testing.T) {
	r := run(t, prelude+`
function members(o) { var names = {}; for (var p = o; p && p !== Object.prototype; p = Object.getPrototypeOf(p)) { var own; try { own = Object.getOwnPropertyNames(p) } catch (e) { own = [] }
	for (var i = 0; i < own.length; i++) names[own[i]] = true } return Object.keys(names) }
var l = main.layer("title"), n = 0;
l.opacity.setValueAtTime(0, 1); l.mask.addProperty("Mask");
var things = [app.project, main, main.layers, app.project.items, app.project.item(1), app.project.item(2), app.project.item(2).mainSource, app.project.item(3).mainSource, l, main.layer(4),
	l.transform, l.opacity, l.position, l.sourceText, l.sourceText.value, l.mask(1), l.mask(1).property(1), main.layer(4).effect(1), main.layer(3).essentialProperty, main.layer(3).essentialProperty(1),
	app.project.renderQueue, app.project.renderQueue.items.add(main), app.project.renderQueue.item(1).outputModule(1), new Shape(), new MarkerValue("x"), new KeyframeEase(1, 2), new TextDocument("x"),
	new ImportOptions(new File("x")), new File("x"), new Folder("x"), main.markerProperty];
for (var i = 0; i < things.length; i++) { var names = members(things[i]);
	for (var j = 0; j < names.length; j++) { if (/^(remove|constructor)$/.test(names[j])) continue; n++;
		try { var v = things[i][names[j]]; String(v); if (typeof v === "function" && !v.matchName) v.call(things[i]); } catch (e) { if (String(e.message).indexOf("fault") >= 0) throw e }
		try { things[i][names[j]] = 1 } catch (e) { }
		try { if (typeof things[i][names[j]] === "function") { things[i][names[j]](1, 1, 1); things[i][names[j]]("x", {}, null); things[i][names[j]](main, l, []) } } catch (e) { } } }
$.writeln(n > 400 ? "many" : "few " + n)`)
	if r.err != nil || r.log == "" || !strings.HasSuffix(r.log, "many\n") {
		t.Errorf("%v %q", r.err, r.log)
	}
}
