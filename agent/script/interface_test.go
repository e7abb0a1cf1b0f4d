package script

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/engine/dom"
	"overcrank/engine/footage"
	"overcrank/farm"
)

// theatre is a project of several compositions: A holds B, which holds C. Another C stands alone. All hold a text "deep"; A
// holds two layers named "twin", and a solid "plate" with effects.
func theatre() *aep.Project {
	group := func(match, name string, children ...*aep.Property) *aep.Property {
		return &aep.Property{Match: match, Name: name, Group: true, Enabled: true, Children: children}
	}
	color := func(match, name string) *aep.Property {
		return &aep.Property{Match: match, Name: name, Enabled: true, Color: true, Dimensions: 4, Value: aep.Numbers{1, 0, 0, 1}}
	}
	id := uint32(100)
	layer := func(name string, kind aep.LayerKind, source uint32, properties ...*aep.Property) *aep.Layer {
		id++
		return &aep.Layer{ID: id, Name: name, Kind: kind, Source: source, Out: 2, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, Quality: 2,
			EffectsEnabled: true, AudioEnabled: true, Props: group("ADBE AV Layer", "", properties...)}
	}
	text := func(name string) *aep.Layer {
		style := aep.CharacterStyle{Font: "Inter-Regular", Size: 20, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true, Fill: [4]float64{1, 1, 1, 1}}
		doc := &aep.TextDocument{Text: "old", Runs: []aep.TextRun{{Length: 4, Style: style}}, Paragraphs: []aep.ParagraphRun{{Length: 4}}}
		l := layer(name, aep.LayerText, 0)
		l.Props = group("ADBE Text Layer", "", group("ADBE Text Properties", "", &aep.Property{Match: "ADBE Text Document", Enabled: true, Value: doc}))
		return l
	}
	plate := func(name string) *aep.Layer {
		return layer(name, aep.LayerAV, 9, group("ADBE Effect Parade", "",
			group("ADBE Color Control", "Color Control", color("ADBE Color Control-0001", "Color")),
			group("ADBE Color Control", "Brand.Color", color("ADBE Color Control-0001", "Color")),
			group("ADBE Slider Control", "Amount", &aep.Property{Match: "ADBE Slider Control-0001", Name: "Slider", Enabled: true, Dimensions: 1, Value: aep.Numbers{0}})))
	}
	comp := func(id uint32, name string, layers ...*aep.Layer) *aep.Item {
		return &aep.Item{ID: id, Name: name, Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, Duration: 2, WorkAreaDuration: 2, Layers: layers}}
	}
	p := &aep.Project{Version: aep.Version{Major: 24}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*aep.Item{
		comp(1, "A", text("title"), text("twin"), text("twin"), text("deep"), plate("plate"), plate("picture"), plate("film"), plate("sound"), plate("one"),
			plate("two"), plate("three"), layer("nested", aep.LayerAV, 2)),
		comp(2, "B", layer("", aep.LayerAV, 3), text("deep"), plate("plate")),
		comp(3, "C", text("deep"), plate("plate")),
		comp(4, "C", text("deep"), plate("plate")),
		{ID: 9, Name: "white", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid, Width: 32, Height: 48, PixelAspect: 1, Still: true, HasVideo: true}},
	}}
	for _, it := range p.Items {
		if it.Comp != nil {
			for _, l := range it.Comp.Layers {
				aep.CompleteLayer(p, it.Comp, l)
			}
		}
	}
	return p
}

// lookInside is what the checks of a theatre can use.
const lookInside = `
function comps(name) { var found = []; for (var i = 1; i <= app.project.numItems; i++) { var it = app.project.item(i); if (it.name === name && it.numLayers !== undefined) found.push(it); } return found; }
function all(name, c) { var found = []; for (var i = 1; i <= c.numLayers; i++) { if (c.layer(i).name === name) found.push(c.layer(i)); } return found; }
function first(name, c) { return all(name, c || comps("A")[0])[0]; }
function doc(l) { return l.property("ADBE Text Properties").property("ADBE Text Document").value; }
function words(name, c) { var list = all(name, c), out = []; for (var i = 0; i < list.length; i++) out.push(doc(list[i]).text); return out.join(); }
function effect(name, effect) { return first(name).property("ADBE Effect Parade").property(effect).property(1); }
function transform(name, p, c) { return first(name, c).property("ADBE Transform Group").property(p); }
function is(what, got, want) { if (String(got) !== String(want)) throw new Error(what + " is " + got + ", not " + want); }
`

// media makes a picture, a film and a sound.
func media(t *testing.T, dir string) (picture, film, sound string) {
	t.Helper()
	made := func(name string, args ...string) string {
		path := filepath.Join(dir, name)
		if out, err := exec.Command("ffmpeg", append(append([]string{"-v", "error"}, args...), path)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return path
	}
	return made("new.png", "-f", "lavfi", "-i", "color=red:s=16x12", "-frames:v", "1"),
		made("new.mp4", "-f", "lavfi", "-i", "color=red:s=16x12:d=1", "-f", "lavfi", "-i", "sine=440:d=1", "-pix_fmt", "yuv420p"),
		made("new.wav", "-f", "lavfi", "-i", "sine=440:d=1")
}

// TestEveryTypeFieldAndFunctionOfTheInterface applies one asset after another to one project, and looks behind each.
func TestEveryTypeFieldAndFunctionOfTheInterface(t *testing.T) {
	dir := t.TempDir()
	picture, film, sound := media(t, dir)
	put := func(typ, layer, file string) Asset {
		a := asset(farm.Asset{Type: typ, LayerName: layer})
		a.File = file
		return a
	}
	text := func(a farm.Asset) Asset { a.Type = "text"; return asset(a) }
	data := func(layer, property, value string) Asset {
		return asset(farm.Asset{Type: "data", LayerName: layer, Composition: "A", Property: property, Value: raw(value)})
	}
	function := func(name, params string) Asset {
		return asset(farm.Asset{Type: "function", Name: name, Params: raw(params)})
	}
	byIndex := put("image", "", picture)
	byIndex.LayerIndex, byIndex.Composition = 6, "A"
	expressed := asset(farm.Asset{Type: "data", LayerName: "one", Property: "effects.amount.slider", Expression: "3 + 4"})
	script := asset(farm.Asset{Type: "script", Name: "own.jsx", Parameters: []farm.AssetParameter{{Key: "to", Value: raw(`{"words": ["by script"]}`)}}})
	script.Source = `all("twin", comps("A")[0])[0].property("ADBE Text Properties").property("ADBE Text Document").setValue(NX.get("to").words[0]);`
	script.Source = lookInside + script.Source
	cases := []struct {
		name  string
		asset Asset
		check string
	}{
		{"every matching layer of every composition", text(farm.Asset{LayerName: "deep", Value: raw(`"all"`)}),
			`is("A", words("deep", comps("A")[0]), "all"); is("B", words("deep", comps("B")[0]), "all"); is("C", words("deep", comps("C")[0]), "all"); is("the other C", words("deep", comps("C")[1]), "all");`},
		{"both layers of one name", text(farm.Asset{LayerName: "twin", Value: raw(`"both"`)}), `is("twins", words("twin", comps("A")[0]), "both,both");`},
		{"a composition by its way down", text(farm.Asset{LayerName: "deep", Composition: "A->B->C", Value: raw(`"below"`)}),
			`is("C", words("deep", comps("C")[0]), "below"); is("the other C", words("deep", comps("C")[1]), "all"); is("B", words("deep", comps("B")[0]), "all");`},
		{"a composition by name", text(farm.Asset{LayerName: "deep", Composition: "B", Value: raw(`"B"`)}), `is("B", words("deep", comps("B")[0]), "B"); is("A", words("deep", comps("A")[0]), "all");`},
		{"every composition by a star", text(farm.Asset{LayerName: "deep", Composition: "*", Value: raw(`"star"`)}), `is("B", words("deep", comps("B")[0]), "star"); is("A", words("deep", comps("A")[0]), "star");`},
		{"no text at all", text(farm.Asset{LayerName: "deep", Composition: "B", Value: raw(`""`)}), `is("B", words("deep", comps("B")[0]), "");`},

		{"an effect's colour", data("plate", "Effects.Color Control.Color", `[0,1,0]`), `is("color", effect("plate", "Color Control").value, "0,1,0,1");`},
		{"an effect by arrows, with a dot in its name", data("plate", "Effects->Brand.Color->Color", `[0,0,1]`), `is("color", effect("plate", "Brand.Color").value, "0,0,1,1");`},
		{"an effect by dots, with a dot in its name", data("two", "Effects.Brand.Color.Color", `[0,0,1]`), `is("color", effect("two", "Brand.Color").value, "0,0,1,1"); is("the other", effect("two", "Color Control").value, "1,0,0,1");`},
		{"match names by dots", data("plate", "ADBE Effect Parade.ADBE Slider Control.ADBE Slider Control-0001", `12.5`), `is("amount", effect("plate", "Amount").value, 12.5);`},
		{"match names in another case", data("plate", "adbe effect parade->AMOUNT->adbe slider control-0001", `13`), `is("amount", effect("plate", "Amount").value, 13);`},
		{"an expression", expressed, `is("amount", effect("one", "Amount").valueAtTime(0, false), 7);`},
		{"Transform written out", data("plate", "Transform.Opacity", `40`), `is("opacity", transform("plate", "Opacity").value, 40);`},
		{"Transform left out", data("plate", "opacity", `41`), `is("opacity", transform("plate", "Opacity").value, 41);`},
		{"one axis", data("plate", "Transform->Position->x", `7`), `is("x", transform("plate", "Position").value[0], 7);`},
		{"a text by its property", data("title", "Source Text", `"by property"`), `is("title", words("title", comps("A")[0]), "by property");`},
		{"size of a text", data("title", "Source Text.fontSize", `31`), `is("size", doc(first("title")).fontSize, 31);`},
		{"font of a text", data("title", "Text->Source Text->font", `"Inter-Bold"`), `is("font", doc(first("title")).font, "Inter-Bold"); is("title", words("title", comps("A")[0]), "by property");`},
		{"colour of a text", data("title", "source text.fillColor", `[1,0,0]`), `is("fill", doc(first("title")).fillColor, "1,0,0");`},

		{"image by the layer's name", put("image", "picture", picture), `is("source", first("picture").source.name, "new.png"); is("another", first("film").source.name, "white");`},
		{"image by the layer's number", byIndex, `is("source", comps("A")[0].layer(6).source.name, "new.png"); is("B", comps("B")[0].layer(3).source.name, "white");`},
		{"video", put("video", "film", film), `is("source", first("film").source.name, "new.mp4"); is("sound", first("film").source.hasAudio, true);`},
		{"audio", put("audio", "sound", sound), `is("source", first("sound").source.name, "new.wav"); is("picture", first("sound").source.hasVideo, false);`},
		{"script", script, `is("twin", words("twin", comps("A")[0]), "by script,both");`},

		{"nx- as a prefix, a list of layers", function("nx-layer-start-set", `{"layerName":["one","two"],"composition":"A","value":0.5}`), `is("one", first("one").startTime, 0.5); is("two", first("two").startTime, 0.5); is("three", first("three").startTime, 0);`},
		{"duration of layers", function("nx:layer-duration-set", `{"layerName":"three","value":0.8}`), `is("three", first("three").outPoint, 0.8);`},
		{"state by word", function("nx:layer-state-set", `{"layerName":"three","state":"hidden"}`), `is("three", first("three").enabled, false);`},
		{"state back by word", function("nx:layer-state-set", `{"layerName":"three","state":"visible"}`), `is("three", first("three").enabled, true);`},
		{"state by visible", function("nx:layer-state-set", `{"layerName":["one","three"],"visible":false}`), `is("one", first("one").enabled, false); is("three", first("three").enabled, false);`},
		{"fit", function("nx:layer-autoscale", `{"layerName":"plate","composition":"A->B"}`), `is("scale", transform("plate", "Scale", comps("B")[0]).value.slice(0, 2), "100,100"); is("A", transform("plate", "Opacity").value, 41);`},
		{"fill", function("nx:layer-autoscale", `{"layerName":"plate","composition":"B","type":"fill"}`), `is("scale", transform("plate", "Scale", comps("B")[0]).value.slice(0, 2), "200,200");`},
		{"colour of a solid", function("nx:solid-color-set", `{"layerName":"plate","composition":"B","color":[0.2,0.4,0.6]}`), `is("color", first("plate", comps("B")[0]).source.mainSource.color, "0.2,0.4,0.6");`},
		{"font and its size", function("nx:text-params-set", `{"layerName":"title","font":"Inter-Regular","fontSize":18}`), `is("font", doc(first("title")).font, "Inter-Regular"); is("size", doc(first("title")).fontSize, 18);`},
		{"stroke", function("nx:text-params-set", `{"layerName":"title","strokeColor":[0,1,1],"strokeWidth":3}`),
			`is("stroke", doc(first("title")).strokeColor, "0,1,1"); is("width", doc(first("title")).strokeWidth, 3); is("applied", doc(first("title")).applyStroke, true);`},
		{"spacing", function("nx:text-params-set", `{"layerName":"title","tracking":-20,"leading":22}`), `is("tracking", doc(first("title")).tracking, -20); is("leading", doc(first("title")).leading, 22);`},
		{"words, colour, side, capitals", function("nx:text-params-set", `{"layerName":["title"],"composition":"A","textValue":"new\nline","fillColor":[0,0,1],"justification":"RIGHT_JUSTIFY","allCaps":true}`),
			`is("text", doc(first("title")).text, "new\rline"); is("fill", doc(first("title")).fillColor, "0,0,1"); is("side", doc(first("title")).justification, ParagraphJustification.RIGHT_JUSTIFY); is("capitals", doc(first("title")).allCaps, true);`},
		{"length of the job's composition", function("nx:comp-duration-set", `{"value":1.5}`), `is("A", comps("A")[0].workAreaDuration, 1.5); is("B", comps("B")[0].workAreaDuration, 2);`},
		{"length of a named composition", function("nx:comp-duration-set", `{"composition":"B","value":3}`), `is("B", comps("B")[0].workAreaDuration, 3); is("longer", comps("B")[0].duration, 3);`},
		{"a layer removed by name", function("nx:layer-remove", `{"composition":"B","layerName":"plate"}`), `is("B", comps("B")[0].numLayers, 2); is("A", all("plate", comps("A")[0]).length, 1);`},
		{"a layer removed by number", function("nx:layer-remove", `{"composition":"A","layerIndex":9}`), `is("one", all("one", comps("A")[0]).length, 0); is("A", comps("A")[0].numLayers, 11);`},
		{"the job's quality, which is not the script's", function("nx:preview", `{"quality":"best"}`), ``},
	}
	var assets []Asset
	for i, c := range cases {
		check := asset(farm.Asset{Type: "script", Name: fmt.Sprintf("check %d of '%s'", i, c.name)})
		check.Source = lookInside + c.check
		assets = append(assets, c.asset, check)
	}
	out, err := applied(t, dir, assets)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := fmt.Sprintf("asset %d: script check %d", 2*len(cases)-1, len(cases)-1); !strings.Contains(out, want) {
		t.Fatalf("it ended before %q:\n%s", want, out)
	}
}

// applied puts assets into the theatre, of which composition A is rendered, as the embedded engine does.
func applied(t *testing.T, dir string, assets []Asset) (string, error) {
	t.Helper()
	js, err := Build(Input{Composition: "A", Assets: assets})
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	err = dom.Run(t.Context(), theatre(), "apply.jsx", js, dom.Options{Folder: dir, Output: &said, Time: time.Minute, Probe: footage.Probe})
	return said.String(), err
}

// TestFailuresAreSaidInTheInterfacesWords wants the words of the interface, with the asset's place among the others.
func TestFailuresAreSaidInTheInterfacesWords(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "data.json")
	if err := os.WriteFile(broken, []byte(`{"a": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	noPicture := asset(farm.Asset{Type: "image", LayerName: "picture"})
	noPicture.File = broken
	for want, a := range map[string]Asset{
		"Layer 'nobody' not found in composition 'A' (asset 1)":                      asset(farm.Asset{Type: "text", LayerName: "nobody", Value: raw(`"x"`)}),
		"Layer 'title' not found in composition 'B' (asset 1)":                       asset(farm.Asset{Type: "text", LayerName: "title", Composition: "B", Value: raw(`"x"`)}),
		"Composition 'Z' not found (asset 1)":                                        asset(farm.Asset{Type: "text", LayerName: "title", Composition: "Z", Value: raw(`"x"`)}),
		"Composition 'B->A' not found (asset 1)":                                     asset(farm.Asset{Type: "text", LayerName: "title", Composition: "B->A", Value: raw(`"x"`)}),
		"Layer 'plate' in composition 'A' is not a text layer (asset 1)":             asset(farm.Asset{Type: "text", LayerName: "plate", Value: raw(`"x"`)}),
		"Layer 'title' in composition 'A' has no property 'Wings.Left'":              asset(farm.Asset{Type: "data", LayerName: "title", Property: "Wings.Left", Value: raw(`1`)}),
		"After Effects expression error at line 2":                                   asset(farm.Asset{Type: "data", LayerName: "plate", Property: "Opacity", Expression: "1 +\nnowhere.at.all"}),
		"Layer 99 not found in composition 'A' (asset 1)":                            asset(farm.Asset{Type: "data", LayerIndex: 99, Composition: "A", Property: "Opacity", Value: raw(`1`)}),
		"Layer 'nobody' not found in composition 'B' (asset 1)":                      asset(farm.Asset{Type: "function", Name: "nx:layer-remove", Params: raw(`{"composition":"B","layerName":"nobody"}`)}),
		"Layer 'title' in composition 'A' is not a solid (asset 1)":                  asset(farm.Asset{Type: "function", Name: "nx:solid-color-set", Params: raw(`{"layerName":"title","color":[0,0,0]}`)}),
		"Field 'Headline' not found in the Essential Graphics panel":                 asset(farm.Asset{Type: "essential", LayerName: "Headline", Value: raw(`"x"`)}),
		"image 'picture' failed: 'data.json' is no picture, film or sound (asset 1)": noPicture,
	} {
		out, err := applied(t, dir, []Asset{asset(farm.Asset{Type: "static"}), a})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "(asset 1)") {
			t.Errorf("got %v; want %s\n%s", err, want, out)
		}
	}
}
