package script

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"overcrank/farm"
)

func asset(a farm.Asset) Asset { return Asset{Asset: a} }

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// everyKind is one asset of each kind and function, in an order that a test can recognise.
func everyKind() []Asset {
	image := asset(farm.Asset{Type: "image", LayerName: "logo.png"})
	image.File = `C:\work\7-1\assets\1\lo"go.png`
	custom := asset(farm.Asset{Type: "script", Name: "mine.jsx", Parameters: []farm.AssetParameter{{Key: "k", Value: raw(`[1,"two"]`)}, {Key: "empty"}}})
	custom.Source = "\ufeffvar x = NX.get('k'); // the end"
	field := asset(farm.Asset{Type: "essential", LayerName: "Title", Value: raw(`"hello"`)})
	field.Controls = []Control{{Composition: 12, Layer: 3, Path: []string{"ADBE Text Properties", "ADBE Text Document"}}}
	return []Asset{
		asset(farm.Asset{Type: "text", LayerName: "title", Value: raw(`"Hello"`)}),
		image,
		asset(farm.Asset{Type: "data", LayerName: "artist", Property: "position", Expression: "[5*time,250]"}),
		asset(farm.Asset{Type: "data", LayerIndex: 2, Property: "Effects->Color Control->Color", Value: raw(`[-1,0.5,0]`)}),
		field,
		custom,
		asset(farm.Asset{Type: "static", Name: "data.json"}),
		asset(farm.Asset{Type: "function", Name: "nx:comp-duration-set", Params: raw(`{"value":4}`)}),
		asset(farm.Asset{Type: "function", Name: "nx-layer-duration-set", Params: raw(`{"layerName":["a","b"],"value":1.5}`)}),
		asset(farm.Asset{Type: "function", Name: "layer-start-set", Params: raw(`{"layerName":"a","value":-1}`)}),
		asset(farm.Asset{Type: "function", Name: "nx:layer-autoscale", Params: raw(`{"layerName":"a","type":"fill"}`)}),
		asset(farm.Asset{Type: "function", Name: "nx:layer-state-set", Params: raw(`{"layerName":"a","state":"hidden"}`)}),
		asset(farm.Asset{Type: "function", Name: "nx:layer-remove", Params: raw(`{"composition":"main","layerIndex":3}`)}),
		asset(farm.Asset{Type: "function", Name: "nx:solid-color-set", Params: raw(`{"layerName":"bg","color":[1,0,0.5]}`)}),
		asset(farm.Asset{Type: "function", Name: "nx:text-params-set", Params: raw(`{"layerName":"t","textValue":"x","fontSize":12,"justification":"center"}`)}),
		asset(farm.Asset{Type: "function", Name: "nx:preview", Params: raw(`{"quality":"draft"}`)}),
	}
}

func TestEveryKindOfAssetIsAppliedInTheCallersOrder(t *testing.T) {
	js, err := Build(Input{Composition: "main", Assets: everyKind()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := goja.Compile("script.jsx", js, false); err != nil {
		t.Fatal(err)
	}
	calls := regexp.MustCompile(`(?m)^step\((\d+),.*return (\w+)\(`).FindAllStringSubmatch(js, -1)
	var got []string
	for _, c := range calls {
		got = append(got, c[1]+" "+c[2])
	}
	want := []string{"0 setText", "1 setMedia", "2 setData", "3 setData", "4 setEssential", "5 runScript", "7 compDurationSet",
		"8 layerDurationSet", "9 layerStartSet", "10 layerAutoscale", "11 layerStateSet", "12 layerRemove", "13 solidColorSet", "14 textParamsSet"}
	if strings.Join(got, ",") != strings.Join(want, ",") {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
}

func TestScriptIsPlainASCIIAndOldJavaScript(t *testing.T) {
	js, err := Build(Input{Composition: "ünïcode\u2028", Assets: everyKind()})
	if err != nil {
		t.Fatal(err)
	}
	for _, newer := range []string{`=>`, `\blet `, `\bconst `, `\bclass `, `,\s*[}\]]`, `JSON\.`, `\.trim\(`, `\.forEach\(`} {
		if m := regexp.MustCompile(newer).FindString(js); m != "" {
			t.Errorf("%q is newer than ES3", m)
		}
	}
	for i := range len(js) {
		if js[i] >= 0x80 {
			t.Fatalf("byte %#x at %d", js[i], i)
		}
	}
}

func TestPathsOfStandaloneScriptsAreTakenAsTheyAre(t *testing.T) {
	whole := Standalone("", Files{Script: "/w/50%20/s.jsx", Project: "/p/%2e%2e%2fp.aep", Saved: "/p/a%03d.aep", Outcome: "/w/100%.txt"})
	for _, want := range []string{`"/w/50%2520/s.jsx"`, `"/p/%252e%252e%252fp.aep"`, `"/p/a%2503d.aep"`, `"/w/100%25.txt"`} {
		if !strings.Contains(whole, want) {
			t.Errorf("%s is not in\n%s", want, whole)
		}
	}
}

func TestScriptWrappedForAfterEffectsStillParses(t *testing.T) {
	js, err := Build(Input{Composition: "main", Assets: everyKind()})
	if err != nil {
		t.Fatal(err)
	}
	whole := Standalone(js, Files{Project: `C:\a "b"\p.aep`, Saved: "/tmp/s.aep", Outcome: "/tmp/o.txt"})
	if _, err := goja.Compile("standalone.jsx", whole, false); err != nil {
		t.Fatal(err)
	}
}

func TestAssetsThatSayTooLittleAreRefusedByName(t *testing.T) {
	cases := map[string]farm.Asset{
		"A text asset needs a layerName (asset 1)":                                                           {Type: "text", Value: raw(`"x"`)},
		"A data asset needs a property (asset 1)":                                                            {Type: "data", LayerName: "a"},
		"A data asset needs a value or an expression (asset 1)":                                              {Type: "data", LayerName: "a", Property: "Opacity"},
		"A video asset needs a layerName or a layerIndex from 1 (asset 1)":                                   {Type: "video"},
		"The file of the image asset is not there (asset 1)":                                                 {Type: "image", LayerName: "a"},
		"Function 'nx:fly' is not known (asset 1)":                                                           {Type: "function", Name: "nx:fly", LayerName: "a"},
		"Function 'layer-start-set' needs a value in seconds (asset 1)":                                      {Type: "function", Name: "nx:layer-start-set", Params: raw(`{"layerName":"a"}`)},
		"Function 'layer-remove' needs a layerName (asset 1)":                                                {Type: "function", Name: "nx:layer-remove"},
		"Function 'layer-remove' needs layerName as a name or a list of names (asset 1)":                     {Type: "function", Name: "nx:layer-remove", Params: raw(`{"layerName":[]}`)},
		"Function 'text-params-set' was given nothing to set (asset 1)":                                      {Type: "function", Name: "nx:text-params-set", Params: raw(`{"layerName":"a"}`)},
		"Function 'solid-color-set' needs a color of three numbers from 0 to 1 (asset 1)":                    {Type: "function", Name: "nx:solid-color-set", Params: raw(`{"layerName":"a","color":[1]}`)},
		"Function 'preview' needs a quality of draft or best (asset 1)":                                      {Type: "function", Name: "nx:preview"},
		"Assets of type 'job' cannot be rendered by this version (asset 1)":                                  {Type: "job"},
		"Function 'layer-autoscale' knows the types fit and fill, not 'warp' (asset 1)":                      {Type: "function", Name: "layer-autoscale", Params: raw(`{"layerName":"a","type":"warp"}`)},
		"Function 'comp-duration-set' needs a value in seconds, above 0 (asset 1)":                           {Type: "function", Name: "comp-duration-set", Params: raw(`{"value":-1}`)},
		"An essential asset needs the name of the panel's field as layerName (asset 1)":                      {Type: "essential"},
		"Function 'layer-state-set' needs visible as true or false, or state as visible or hidden (asset 1)": {Type: "function", Name: "layer-state-set", LayerName: "a"},
	}
	for want, a := range cases {
		_, err := Build(Input{Composition: "main", Assets: []Asset{asset(farm.Asset{Type: "static"}), asset(a)}})
		var e *Error
		if !errors.As(err, &e) || e.Asset != 1 || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestPreviewQuality(t *testing.T) {
	for name, want := range map[string]string{"nx:preview": "draft", "nx-preview": "draft", "preview": "draft", "nx:layer-remove": ""} {
		if got := PreviewQuality(name, raw(`{"quality":"draft"}`)); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestCustomScriptGetsItsParameters runs the library against a project of one composition without layers: enough for
// a script asset, which touches nothing.
func TestCustomScriptGetsItsParameters(t *testing.T) {
	custom := asset(farm.Asset{Type: "script", Name: "mine.jsx", Parameters: []farm.AssetParameter{{Key: "who", Value: raw(`"wörld"`)}, {Key: "f", Value: raw(`"function (a) { return a + 1; }"`)}}})
	custom.Source = "app.result = 'hello ' + NX.get('who') + parameters.who.length + NX.call('f', [1]) + NX.get('none') // no newline"
	js, err := Build(Input{Composition: "main", Assets: []Asset{custom}})
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	if _, err := vm.RunString(`var app = {project: {numItems: 1, item: function () { return {name: "main", numLayers: 0}; }}};`); err != nil {
		t.Fatal(err)
	}
	if _, err := vm.RunString(js); err != nil {
		t.Fatal(err)
	}
	if got := vm.Get("app").ToObject(vm).Get("result").String(); got != "hello wörld52null" {
		t.Fatalf("got %q", got)
	}
}

func TestMessagesNameWhatIsMissing(t *testing.T) {
	broken := asset(farm.Asset{Type: "script", Name: "b.jsx"})
	broken.Source = "this is no script"
	cases := []struct {
		composition string
		asset       Asset
		want        string
	}{
		{"main", asset(farm.Asset{Type: "text", LayerName: "title", Value: raw(`"x"`)}), "Error: Layer 'title' not found in composition 'main' (asset 0)"},
		{"main", asset(farm.Asset{Type: "text", LayerName: "title", Composition: "other", Value: raw(`"x"`)}), "Error: Composition 'other' not found (asset 0)"},
		{"main", asset(farm.Asset{Type: "data", LayerIndex: 4, Property: "Opacity", Value: raw(`1`)}), "Error: Layer 4 not found in composition 'main' (asset 0)"},
		{"gone", asset(farm.Asset{Type: "static"}), "Error: Composition 'gone' not found"},
		{"main", broken, "Error: script b.jsx failed: "},
	}
	for _, c := range cases {
		js, err := Build(Input{Composition: c.composition, Assets: []Asset{c.asset}})
		if err != nil {
			t.Fatal(err)
		}
		vm := goja.New()
		if _, err := vm.RunString(`var app = {project: {numItems: 1, item: function () { return {name: "main", numLayers: 0}; }}};`); err != nil {
			t.Fatal(err)
		}
		_, err = vm.RunString(js)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func FuzzScriptOfHostileStrings(f *testing.F) {
	for _, s := range []string{"", `"`, `\`, "\u2028\u2029", "*/ x /*", "</script>", "\x00\x1f\x7f", "\U0001f600", "\xff\xfe", "a\r\nb", `"); app.quit(); ("`, "__proto__"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		encoded, err := json.Marshal(map[string]any{s: []any{s, 1, nil, true}})
		if err != nil {
			t.Skip()
		}
		value, err := json.Marshal(s)
		if err != nil {
			t.Skip()
		}
		image := asset(farm.Asset{Type: "image", LayerName: "l" + s})
		image.File = "/" + s
		custom := asset(farm.Asset{Type: "script", Name: s, Parameters: []farm.AssetParameter{{Key: s, Value: encoded}}})
		custom.Source = s
		js, err := Build(Input{Composition: s, Assets: []Asset{
			asset(farm.Asset{Type: "text", LayerName: "l" + s, Composition: s, Value: value}),
			asset(farm.Asset{Type: "data", LayerName: "l" + s, Property: "p" + s, Value: encoded, Expression: s}), image, custom,
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := goja.Compile("script.jsx", js, false); err != nil {
			t.Fatal(err)
		}
		got, err := goja.New().RunString(Quote(s))
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); got.String() != want && strings.ToValidUTF8(s, "") == s {
			t.Fatalf("%q came back as %q", s, got.String())
		}
	})
}
