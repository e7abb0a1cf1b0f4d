package script

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/farm"
)

// engine builds the embedded engine, which is what these scripts are run by.
func engine(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("ffmpeg is not installed")
	}
	program := filepath.Join(t.TempDir(), "overcrank")
	cmd := exec.Command("go", "build", "-o", program, "./cmd/overcrank")
	cmd.Dir, cmd.Env = aeptest.Repository(t), append(os.Environ(), "CGO_ENABLED=0") // as `make build`, with which it shares what is compiled
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// stage is a project with two compositions: main holds a text, a solid (renamed), and inner, which holds a text too.
func stage(t *testing.T, path string) {
	t.Helper()
	style := aep.CharacterStyle{Font: "Inter-Regular", Size: 20, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true, Fill: [4]float64{1, 1, 1, 1}}
	text := func(id uint32, name, words, expression string) *aep.Layer {
		doc := &aep.TextDocument{Text: words, Runs: []aep.TextRun{{Length: len(words) + 1, Style: style}}, Paragraphs: []aep.ParagraphRun{{Length: len(words) + 1}}}
		prop := &aep.Property{Match: "ADBE Text Document", Enabled: true, Value: doc, Expression: expression, ExpressionOn: expression != ""}
		if name == "keyed" {
			prop.Keys = []aep.Keyframe{{Time: 0, Value: doc, In: aep.Hold, Out: aep.Hold, InEase: []aep.Ease{{}}, OutEase: []aep.Ease{{}}}}
		}
		return &aep.Layer{ID: id, Name: name, Kind: aep.LayerText, Out: 2, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, Quality: 2,
			Props: &aep.Property{Match: "ADBE Text Layer", Group: true, Enabled: true, Children: []*aep.Property{
				{Match: "ADBE Text Properties", Group: true, Enabled: true, Children: []*aep.Property{prop}}}}}
	}
	solid := &aep.Layer{ID: 21, Name: "back", Kind: aep.LayerAV, Source: 3, Out: 2, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, Quality: 2, Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}}
	nested := &aep.Layer{ID: 22, Kind: aep.LayerAV, Source: 2, Out: 2, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, Quality: 2, Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}}
	comp := func(id uint32, name string, layers ...*aep.Layer) *aep.Item {
		return &aep.Item{ID: id, Name: name, Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 64, Height: 48, PixelAspect: 1, FrameRate: 25, Duration: 2, WorkAreaDuration: 2, Layers: layers}}
	}
	p := &aep.Project{Version: aep.Version{Major: 24}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8, Items: []*aep.Item{
		comp(1, "main", text(11, "title", "old", "'from ' + 'expression'"), text(12, "keyed", "old", ""), nested, solid),
		comp(2, "inner", text(13, "title", "old", "")),
		{ID: 3, Name: "plate", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid, Width: 32, Height: 48, PixelAspect: 1, Still: true, HasVideo: true}},
	}}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(aep.Write(f, p), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// lookAround is what every check can use.
const lookAround = `
function comp(name) { for (var i = 1; i <= app.project.numItems; i++) { var it = app.project.item(i); if (it.name === name && it.numLayers !== undefined) return it; } }
function layer(name, c) { c = comp(c || "main"); for (var i = 1; i <= c.numLayers; i++) { if (c.layer(i).name === name) return c.layer(i); } return null; }
function doc(name, c) { return layer(name, c).property("ADBE Text Properties").property("ADBE Text Document").value; }
function is(what, got, want) { if (String(got) !== String(want)) throw new Error(what + " is " + got + ", not " + want); }
`

func TestAssetsDoInTheEngineWhatTheySay(t *testing.T) {
	program, dir := engine(t), t.TempDir()
	project := filepath.Join(dir, "p.aep")
	stage(t, project)
	picture := filepath.Join(dir, "new.png")
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=16x12", "-frames:v", "1", picture).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data := func(a farm.Asset) Asset { a.Type = "data"; return asset(a) }
	function := func(name, params string) Asset {
		return asset(farm.Asset{Type: "function", Name: "nx:" + name, Params: raw(params)})
	}
	media := func(name string) Asset {
		a := asset(farm.Asset{Type: "image", LayerName: name})
		a.File = picture
		return a
	}
	// escaping is a file whose name an address would be read as that of another file, which is there too.
	escaping := func(name string) Asset {
		a := media("plate")
		a.File = filepath.Join(dir, "a", name)
		if err := os.MkdirAll(filepath.Dir(a.File), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(picture, a.File); err != nil {
			t.Fatal(err)
		}
		return a
	}
	cases := []struct {
		name  string
		asset Asset
		check string
	}{
		{"a name that would lead out", escaping("%2e%2e%2fnew.png"), `is("source", layer("back").source.name, "%2e%2e%2fnew.png");`},
		{"a name with an escape", escaping("100%25.png"), `is("source", layer("back").source.name, "100%25.png");`},
		{"a name with a percent sign", escaping("a%03d 100%.png"), `is("source", layer("back").source.name, "a%03d 100%.png");`},
		{"text wins over an expression, in every composition", asset(farm.Asset{Type: "text", LayerName: "title", Value: raw(`"one\ntwo"`)}),
			`is("text", doc("title").text, "one\rtwo"); is("inner", doc("title", "inner").text, "one\rtwo"); is("size", doc("title").fontSize, 20);`},
		{"text only where it was asked for", asset(farm.Asset{Type: "text", LayerName: "title", Composition: "main->inner", Value: raw(`"x"`)}),
			`is("inner", doc("title", "inner").text, "x"); if (doc("title").text === "x") throw new Error("main changed too");`},
		{"text wins over keyframes", asset(farm.Asset{Type: "text", LayerName: "keyed", Value: raw(`7`)}), `is("text", doc("keyed").text, "7");`},
		{"hostile text", asset(farm.Asset{Type: "text", LayerName: "keyed", Value: raw(`"\u2028\"'\\ </script> \ud83d\ude00"`)}),
			`is("text", doc("keyed").text, "\u2028\"'\\ </script> \ud83d\ude00");`},
		{"transform may be left out, in any case", data(farm.Asset{LayerName: "back", Property: "oPacity", Value: raw(`"50"`)}), `is("opacity", layer("back").property("Transform").property("Opacity").value, 50);`},
		{"match names", data(farm.Asset{LayerName: "back", Property: "ADBE Transform Group.ADBE Scale", Value: raw(`[50,50]`)}), `is("scale", layer("back").property("Transform").property("Scale").value.slice(0, 2), "50,50");`},
		{"path with arrows", data(farm.Asset{LayerName: "back", Property: "Transform->Position", Value: raw(`[5,6]`)}), `is("position", layer("back").property("Transform").property("Position").value.slice(0, 2), "5,6");`},
		{"one axis of a value", data(farm.Asset{LayerName: "back", Property: "position.y", Value: raw(`9`)}), `is("position", layer("back").property("Transform").property("Position").value[1], 9);`},
		{"field of a text", data(farm.Asset{LayerName: "keyed", Property: "Source Text.fontSize", Value: raw(`33`)}), `is("size", doc("keyed").fontSize, 33); is("text", doc("keyed").text, "old");`},
		{"expression", data(farm.Asset{LayerName: "back", Property: "Opacity", Expression: "10 + 20"}), `is("opacity", layer("back").property("Transform").property("Opacity").valueAtTime(0, false), 30);`},
		{"source by layer index", data(farm.Asset{LayerIndex: 4, Composition: "main", Property: "Opacity", Value: raw(`12`)}), `is("opacity", layer("back").property("Transform").property("Opacity").value, 12);`},
		{"layer found by its source's name keeps its own", media("plate"), `is("source", layer("back").source.name, "new.png");`},
		{"layer named by its source keeps the name", media("inner"), `is("source", layer("inner").source.name, "new.png");`},
		{"solid colour", function("solid-color-set", `{"layerName":"back","color":[1,0,0.5]}`), `is("color", layer("back").source.mainSource.color, "1,0,0.5");`},
		{"text parameters", function("text-params-set", `{"layerName":["title","keyed"],"composition":"main","textValue":"T","fontSize":44,"fillColor":[0,1,0],"tracking":50,"justification":"center","allCaps":true}`),
			`for (var k in {title: 1, keyed: 1}) { is("text", doc(k).text, "T"); is("size", doc(k).fontSize, 44); is("fill", doc(k).fillColor, "0,1,0"); is("tracking", doc(k).tracking, 50); is("justification", doc(k).justification, ParagraphJustification.CENTER_JUSTIFY); }`},
		{"hidden layer", function("layer-state-set", `{"layerName":"back","visible":false}`), `is("enabled", layer("back").enabled, false);`},
		{"removed layer", function("layer-remove", `{"composition":"main","layerIndex":4}`), `is("layer", layer("back"), null);`},
		{"start and duration", function("layer-start-set", `{"layerName":"back","value":0.5}`), `is("start", layer("back").startTime, 0.5);`},
		{"duration of a layer", function("layer-duration-set", `{"layerName":"back","value":0.8}`), `is("out", layer("back").outPoint, 0.8);`},
		{"longer composition", function("comp-duration-set", `{"composition":"main","value":3}`), `is("duration", comp("main").duration, 3); is("work area", comp("main").workAreaDuration, 3);`},
		{"fitted layer", function("layer-autoscale", `{"layerName":"back","type":"fit"}`), `is("scale", layer("back").property("Transform").property("Scale").value.slice(0, 2), "100,100");`},
		{"filling layer", function("layer-autoscale", `{"layerName":"back","type":"fill"}`), `is("scale", layer("back").property("Transform").property("Scale").value.slice(0, 2), "200,200");`},
		{"panel's field", func() Asset {
			a := asset(farm.Asset{Type: "essential", LayerName: "Headline", Value: raw(`"E"`)})
			a.Controls = []Control{{Composition: 1, Layer: 2, Path: []string{"ADBE Text Properties", "ADBE Text Document"}, Places: []int{0, 1}}}
			return a
		}(), `is("text", doc("keyed").text, "E");`},
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			check := asset(farm.Asset{Type: "script", Name: "check"})
			check.Source = lookAround + c.check
			js, err := Build(Input{Composition: "main", Assets: []Asset{c.asset, check}})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, fmt.Sprintf("s%d.jsx", i))
			if err := os.WriteFile(file, []byte(js), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(program, "aerender", "-project", project, "-comp", "main", "-output", filepath.Join(dir, fmt.Sprintf("o%d_[####].png", i)),
				"-OMtemplate", "image_png", "-s", "0", "-e", "0", "-r", file).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "asset 1: script check") {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
