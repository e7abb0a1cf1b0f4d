package aep

import (
	"reflect"
	"strings"
	"testing"

	"overcrank/aep/cos"
)

func TestAliasesOfOldProjectsGiveTheirPath(t *testing.T) {
	r := &reader{project: &Project{Version: Version{OS: "windows"}}}
	wide := func(s string) string {
		var b strings.Builder
		for _, c := range s {
			b.WriteRune(c)
			b.WriteByte(0)
		}
		return b.String()
	}
	for name, c := range map[string]struct{ alias, path, platform string }{
		"windows":        {"\x00\x01junk\x00C:\\old\\media\\clip.mov\x00\x02", `C:\old\media\clip.mov`, "windows"},
		"share":          {"\x00\\\\server\\share\\clip.mov\x00", `\\server\share\clip.mov`, "windows"},
		"macOS":          {"\x01Macintosh HD\x00\x02/Users/me/clip.mov\x00", "/Users/me/clip.mov", "macos"},
		"wide, odd byte": {"\x07\x00\x01" + wide(`D:\media\clip.mov`) + "\x00\x00", `D:\media\clip.mov`, "windows"},
		"none":           {"\x00\x01\x02", "", ""},
	} {
		got := r.decodeAlias([]byte(c.alias))
		if got.FullPath != c.path || got.Platform != c.platform {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestReferencesAreReadLoosely(t *testing.T) {
	for _, c := range []struct {
		json string
		want FileReference
	}{
		{`{"fullpath":"/a/b.png","platform":2,"ascendcount_base":1,"ascendcount_target":2,"target_is_folder":false}`,
			FileReference{FullPath: "/a/b.png", Platform: "macos", AscendBase: 1, AscendTarget: 2}},
		{`{"fullpath":"C:\\a\\b","platform":"Win32","ascendcount_base":"1","ascendcount_target":"1","target_is_folder":"1"}`,
			FileReference{FullPath: `C:\a\b`, Platform: "windows", AscendBase: 1, AscendTarget: 1, TargetIsFolder: true}},
		{`{"fullpath":"/x","ascendcount_base":99999999999,"ascendcount_target":-4}`, FileReference{FullPath: "/x", Platform: "macos"}},
		{`not json`, FileReference{}},
	} {
		if got := decodeReference([]byte(c.json)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.json, got, c.want)
		}
	}
}

func TestGradientStops(t *testing.T) {
	const data = `<?xml version='1.0'?><prop.map version='4'><prop.list>
<prop.pair><key>Gradient Color Data</key><prop.list>
<prop.pair><key>Alpha Stops</key><prop.list><prop.pair><key>Stops List</key><prop.list>
<prop.pair><key>Stop-0</key><prop.list><prop.pair><key>Stops Alpha</key><array><array.type><float/></array.type><float>0</float><float>0.5</float><float>1</float></array></prop.pair></prop.list></prop.pair>
</prop.list></prop.pair><prop.pair><key>Stops Size</key><int type='unsigned' size='32'>1</int></prop.pair></prop.list></prop.pair>
<prop.pair><key>Color Stops</key><prop.list><prop.pair><key>Stops List</key><prop.list>
<prop.pair><key>Stop-0</key><prop.list><prop.pair><key>Stops Color</key><array><float>0.25</float><float>0.5</float><float>1</float><float>0.5</float><float>0</float><float>1</float></array></prop.pair></prop.list></prop.pair>
</prop.list></prop.pair></prop.list></prop.pair>
</prop.list></prop.pair></prop.list></prop.map>`
	got, err := decodeGradient([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	want := &Gradient{
		Colors: []ColorStop{{Offset: 0.25, Midpoint: 0.5, RGB: [3]float64{1, 0.5, 0}}},
		Alphas: []AlphaStop{{Offset: 0, Midpoint: 0.5, Alpha: 1}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := decodeGradient([]byte("<a><")); err == nil {
		t.Error("a broken gradient was read")
	}
}

func TestNamesInOldEncodings(t *testing.T) {
	mac := &reader{project: &Project{Version: Version{OS: "macos"}}}
	win := &reader{project: &Project{Version: Version{OS: "windows"}}}
	if got := mac.string([]byte("Caf\x8e")); got != "Café" {
		t.Errorf("macOS: %q", got)
	}
	if got := win.string([]byte("Caf\xe9")); got != "Café" {
		t.Errorf("Windows: %q", got)
	}
	if got := win.string([]byte("Café")); got != "Café" {
		t.Errorf("UTF-8: %q", got)
	}
}

func TestWaysOfControllers(t *testing.T) {
	path, indexes := decodeControllerPath([]byte(`{"0":{"index":4294967295,"matchName":"ADBE Effect Parade"},"1":{"index":1,"matchName":"ADBE Slider Control"},"2":{"index":1,"matchName":"ADBE Slider Control-0001"}}`))
	if !reflect.DeepEqual(path, []string{"ADBE Effect Parade", "ADBE Slider Control", "ADBE Slider Control-0001"}) || !reflect.DeepEqual(indexes, []int{0, 2, 2}) {
		t.Fatalf("%q %v", path, indexes)
	}
	slider := func(v float64) *Property {
		return &Property{Match: "ADBE Slider Control", Group: true, Children: []*Property{{Match: "ADBE Slider Control-0001", Value: Numbers{v}}}}
	}
	l := &Layer{Props: &Property{Children: []*Property{{Match: "ADBE Effect Parade", Children: []*Property{slider(1), slider(2)}}}}}
	if got := (Controller{Path: path, Indexes: indexes}).Property(l).Float(0); got != 2 {
		t.Errorf("the first of two effects of a name was taken: %g", got)
	}
	if got := (Controller{Path: []string{"no", "way"}}).Property(l); got != nil {
		t.Errorf("found %+v", got)
	}
}

func TestKeyframeSpeedsOfFractions(t *testing.T) {
	b := make(body, 48)
	put := func(at int, f float64) {
		copy(b[at:], floatBytes(f))
	}
	put(8, 0.5)
	put(16, 0.25)
	put(24, 0.3)
	put(32, 2)
	put(40, 0.4)
	p := &Property{Match: "ADBE Opacity", Dimensions: 1}
	k := decodeKey(b, p, 1, unitsOf(p, &layerScope{}))
	if !reflect.DeepEqual(k.Value, Numbers{50}) || k.InEase[0] != (Ease{25, 0.3}) || k.OutEase[0] != (Ease{200, 0.4}) {
		t.Errorf("%+v", k)
	}
}

func floatBytes(f float64) []byte {
	b := make([]byte, 8)
	putFloat(b, f)
	return b
}

// TestOptionsOfTextsAreRead reads documents as After Effects 26 stores them: each option as it is usually, and changed.
func TestOptionsOfTextsAreRead(t *testing.T) {
	document := func(character, paragraph, text cos.Dict) *TextDocument {
		text["5"] = cos.Dict{"0": cos.Array{cos.Dict{"0": cos.Dict{"0": cos.Dict{"5": paragraph}}, "1": 1.0}}}
		text["6"] = cos.Dict{"0": cos.Array{cos.Dict{"0": cos.Dict{"0": cos.Dict{"6": character}}, "1": 1.0}}}
		return decodeDocument(cos.Dict{}, cos.Dict{"0": text}, nil)
	}
	usual := document(cos.Dict{"11": 1.0, "18": true, "35": 1.0, "52": false, "62": 0.0, "70": 0.0},
		cos.Dict{"8": 0.0, "9": false, "21": false, "29": false, "33": 0.0}, cos.Dict{})
	if style := usual.Style(); usual.Options != 0 || style.Unkerned || style.Unligated || style.StrokeJoin != MiterStroke {
		t.Errorf("a usual text has the options %b, and the style %+v", usual.Options, style)
	}
	if bare := document(cos.Dict{}, cos.Dict{}, cos.Dict{}); bare.Options != 0 || bare.Style().Unkerned || bare.Style().Unligated {
		t.Errorf("a text that says nothing has the options %b, and the style %+v", bare.Options, bare.Style())
	}
	if style := document(cos.Dict{"11": 0.0, "18": false, "62": 2.0}, cos.Dict{}, cos.Dict{}).Style(); !style.Unkerned || !style.Unligated || style.StrokeJoin != BevelStroke {
		t.Errorf("got the style %+v", style)
	}
	for option, doc := range map[TextOptions]*TextDocument{
		OpticalKerning:  document(cos.Dict{"11": 2.0}, cos.Dict{}, cos.Dict{}),
		ManualKerning:   document(cos.Dict{}, cos.Dict{}, cos.Dict{"8": cos.Dict{"0": cos.Array{cos.Dict{"0": cos.Dict{"0": -50.0}, "1": 1.0}}}}),
		NoBreak:         document(cos.Dict{"52": true}, cos.Dict{}, cos.Dict{}),
		OtherDigits:     document(cos.Dict{"70": 2.0}, cos.Dict{}, cos.Dict{}),
		RotatedBaseline: document(cos.Dict{"35": 3.0}, cos.Dict{}, cos.Dict{}),
		JapaneseLeading: document(cos.Dict{}, cos.Dict{"8": 1.0}, cos.Dict{}),
		Hyphenated:      document(cos.Dict{}, cos.Dict{"9": true}, cos.Dict{}),
		HangingRoman:    document(cos.Dict{}, cos.Dict{"21": true}, cos.Dict{}),
		EveryLine:       document(cos.Dict{}, cos.Dict{"29": true}, cos.Dict{}),
		RightToLeft:     document(cos.Dict{}, cos.Dict{"33": 1.0}, cos.Dict{}),
	} {
		if doc.Options != option {
			t.Errorf("got the options %b, want %b", doc.Options, option)
		}
	}
}
