package aep_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

// The oracles are Lottie exports that After Effects itself made of compositions in the samples.

type lottieFile struct {
	FrameRate float64       `json:"fr"`
	In        float64       `json:"ip"`
	Out       float64       `json:"op"`
	Width     int           `json:"w"`
	Height    int           `json:"h"`
	Layers    []lottieLayer `json:"layers"`
}

type lottieLayer struct {
	Name      string                     `json:"nm"`
	Type      int                        `json:"ty"`
	Start     float64                    `json:"st"`
	In        float64                    `json:"ip"`
	Out       float64                    `json:"op"`
	Stretch   float64                    `json:"sr"`
	Matte     int                        `json:"tt"`
	Transform map[string]json.RawMessage `json:"ks"`
	Shapes    []lottieShape              `json:"shapes"`
	Masks     []lottieMask               `json:"masksProperties"`
	Text      struct {
		Document lottieText `json:"d"`
	} `json:"t"`
}

type lottieText struct {
	Keys []struct {
		Style struct {
			Size    float64    `json:"s"`
			Text    string     `json:"t"`
			Just    int        `json:"j"`
			Leading float64    `json:"lh"`
			Fill    []float64  `json:"fc"`
			Box     []float64  `json:"sz"`
			At      [2]float64 `json:"ps"`
		} `json:"s"`
	} `json:"k"`
}

type lottieMask struct {
	Inverted bool            `json:"inv"`
	Mode     string          `json:"mode"`
	Path     json.RawMessage `json:"pt"`
	Opacity  json.RawMessage `json:"o"`
}

type lottieShape map[string]json.RawMessage

type lottieKey struct {
	Time  float64         `json:"t"`
	Start json.RawMessage `json:"s"`
	Out   *lottieEase     `json:"o"`
	In    *lottieEase     `json:"i"`
	To    []float64       `json:"to"`
	Hold  int             `json:"h"`
}

type lottieEase struct {
	X flexible `json:"x"`
	Y flexible `json:"y"`
}

// flexible is a number or a list of numbers.
type flexible []float64

func (f *flexible) UnmarshalJSON(b []byte) error {
	var one float64
	if json.Unmarshal(b, &one) == nil {
		*f = flexible{one}
		return nil
	}
	return json.Unmarshal(b, (*[]float64)(f))
}

// oracleCheck compares one composition and counts what it compared.
type oracleCheck struct {
	t      *testing.T
	rate   float64
	layer  *aep.Layer
	where  string
	anchor [3]float64 // that the export has
	values int
	eases  int
}

func TestValuesAgreeWithAfterEffectsExports(t *testing.T) {
	dir := aeptest.Samples(t)
	rows, err := os.ReadFile(filepath.Join(dir, "ORACLES.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	comps, layers, values, eases := 0, 0, 0, 0
	for _, row := range strings.Split(string(rows), "\n") {
		cell := strings.Split(row, "\t")
		if len(cell) < 4 || !strings.HasPrefix(cell[2], "lottie-json") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, cell[3]))
		if err != nil {
			continue // only some of the listed oracles may be shipped
		}
		var want lottieFile
		if err := json.Unmarshal(data, &want); err != nil {
			t.Errorf("%s: %v", cell[3], err)
			continue
		}
		p := openSample(t, cell[0])
		aep.Complete(p)
		it := p.Composition(cell[1])
		if it == nil {
			t.Errorf("%s: composition %q is missing", cell[0], cell[1])
			continue
		}
		comps++
		t.Run(filepath.Base(cell[3]), func(t *testing.T) {
			c := &oracleCheck{t: t, rate: want.FrameRate}
			layers += c.composition(p, it.Comp, want)
			values += c.values
			eases += c.eases
		})
	}
	if comps == 0 || values == 0 || eases == 0 {
		t.Fatal("no oracle was found")
	}
	t.Logf("oracles: %d compositions, %d layers, %d values, %d eases compared", comps, layers, values, eases)
}

func (c *oracleCheck) composition(p *aep.Project, comp *aep.Composition, want lottieFile) int {
	if comp.Width != want.Width || comp.Height != want.Height || math.Abs(comp.FrameRate-want.FrameRate) > 1e-3 {
		c.t.Errorf("composition is %dx%d at %g, want %dx%d at %g", comp.Width, comp.Height, comp.FrameRate, want.Width, want.Height, want.FrameRate)
	}
	if frames := comp.WorkAreaDuration * comp.FrameRate; math.Abs(frames-(want.Out-want.In)) > 1.5 {
		c.t.Errorf("the work area has %g frames, want %g", frames, want.Out-want.In)
	}
	at, found := 0, 0
	for _, wl := range want.Layers {
		i := at
		for i < len(comp.Layers) && p.DisplayName(comp.Layers[i]) != wl.Name {
			i++
		}
		if i == len(comp.Layers) {
			continue // exporters rename some layers
		}
		at = i + 1
		found++
		c.layer = comp.Layers[i]
		c.where = wl.Name
		c.oneLayer(wl)
	}
	if found == 0 {
		c.t.Error("no layer was found by its name")
	}
	return found
}

func (c *oracleCheck) oneLayer(want lottieLayer) {
	l := c.layer
	kinds := map[int]aep.LayerKind{0: aep.LayerAV, 1: aep.LayerAV, 2: aep.LayerAV, 3: aep.LayerAV, 4: aep.LayerShape, 5: aep.LayerText}
	if kind, known := kinds[want.Type]; known && kind != l.Kind {
		c.t.Errorf("%s: layer kind %d, want %d", c.where, l.Kind, kind)
	}
	if want.Type == 3 && !l.Null {
		c.t.Errorf("%s: should be a null", c.where)
	}
	c.close("start", l.Start*c.rate, want.Start, 0.51)
	c.close("in", max(0, l.In*c.rate), max(0, want.In), 0.51)
	if want.Stretch != 0 {
		c.close("stretch", l.Stretch/100, want.Stretch, 1e-3)
	}
	if want.Matte != 0 && int(l.Matte) != want.Matte {
		c.t.Errorf("%s: matte %d, want %d", c.where, l.Matte, want.Matte)
	}
	tr := l.Props.Child("Transform")
	boxed := len(want.Text.Document.Keys) > 0 && len(want.Text.Document.Keys[0].Style.Box) > 0
	for key, name := range map[string]string{"o": "Opacity", "r": "Rotation", "p": "Position", "a": "Anchor Point", "s": "Scale"} {
		if raw, ok := want.Transform[key]; ok && (!boxed || key != "a") {
			c.property(name, tr.Child(name), raw)
		}
	}
	var separated struct {
		On   bool            `json:"s"`
		X, Y json.RawMessage `json:",omitempty"`
	}
	if json.Unmarshal(want.Transform["p"], &separated) == nil && separated.On {
		if !tr.Child("Position").Separated {
			c.t.Errorf("%s: the position is not separated", c.where)
		}
		c.property("X Position", tr.Child("X Position"), separated.X)
		c.property("Y Position", tr.Child("Y Position"), separated.Y)
	}
	var anchor struct{ K [3]float64 }
	if json.Unmarshal(want.Transform["a"], &anchor) == nil {
		c.anchor = anchor.K
	}
	if want.Type == 4 {
		c.shapes(l.Props.Child("Contents"), want.Shapes)
	}
	c.masks(want.Masks)
	if want.Type == 5 {
		c.text(want.Text.Document)
	}
}

func (c *oracleCheck) text(want lottieText) {
	p := c.layer.Props.Find("Text", "Source Text")
	d, ok := p.Value.(*aep.TextDocument)
	if !ok || len(want.Keys) == 0 {
		c.t.Errorf("%s: no text document", c.where)
		return
	}
	w, style := want.Keys[0].Style, d.Style()
	if d.Text != strings.TrimSuffix(w.Text, "\r") {
		c.t.Errorf("%s: text %q, want %q", c.where, d.Text, w.Text)
	}
	c.close("size", style.Size, w.Size, 1e-3)
	c.close("leading", style.Leading, w.Leading, 1e-3)
	c.numbers("fill", style.Fill[:3], w.Fill, 2e-3)
	if got := int(d.Paragraphs[0].Style.Justification); got != w.Just {
		c.t.Errorf("%s: justification %d, want %d", c.where, got, w.Just)
	}
	if d.Box != (len(w.Box) > 0) {
		c.t.Errorf("%s: box %v, want %v", c.where, d.Box, w.Box)
	} else if d.Box {
		c.numbers("box", d.BoxSize[:], w.Box, 1e-2)
		// Only where the box lies from the anchor shows; the exporter moves both together.
		c.values++
		anchor := c.layer.Props.Find("Transform", "Anchor Point").Value.(aep.Numbers)
		if got, want := d.BoxPos[0]-anchor[0], w.At[0]-c.anchor[0]; math.Abs(got-want) > 1e-2 {
			c.t.Errorf("%s: the box lies %g from the anchor, want %g", c.where, got, want)
		}
	}
}

func (c *oracleCheck) masks(want []lottieMask) {
	have := c.layer.Props.Child("Masks")
	modes := map[string]aep.MaskMode{"n": 0, "a": 1, "s": 2, "i": 3, "d": 4, "l": 5, "f": 6}
	for i, w := range want {
		if i >= len(have.Children) {
			c.t.Errorf("%s: %d masks, want %d", c.where, len(have.Children), len(want))
			return
		}
		m := have.Children[i]
		if m.Mask == nil || m.Mask.Mode != modes[w.Mode] || m.Mask.Inverted != w.Inverted {
			c.t.Errorf("%s: mask %+v, want %q inverted %v", c.where, m.Mask, w.Mode, w.Inverted)
		}
		c.property("Mask Opacity", m.Child("Mask Opacity"), w.Opacity)
		c.pathProperty("Mask Path", m.Child("Mask Path"), w.Path)
	}
}

// shapeFields are the properties to compare, by Lottie's type of shape.
var shapeFields = map[string]map[string]string{
	"rc": {"s": "Size", "p": "Position", "r": "Roundness"},
	"el": {"s": "Size", "p": "Position"},
	"fl": {"c": "Color", "o": "Opacity"},
	"st": {"c": "Color", "o": "Opacity", "w": "Stroke Width"},
	"tm": {"s": "Start", "e": "End", "o": "Offset"},
	"sr": {"p": "Position", "r": "Rotation", "pt": "Points", "or": "Outer Radius"},
	"rd": {"r": "Radius"},
}

func (c *oracleCheck) shapes(have *aep.Property, want []lottieShape) {
	at := 0
	for _, w := range want {
		var typ, name string
		_ = json.Unmarshal(w["ty"], &typ)
		_ = json.Unmarshal(w["nm"], &name)
		if typ == "tr" || name == "" {
			continue
		}
		i := at
		for i < len(have.Children) && have.Children[i].Name != name {
			i++
		}
		if i == len(have.Children) {
			c.t.Errorf("%s: shape %q is missing in %s", c.where, name, have.Match)
			continue
		}
		at = i + 1
		c.shape(have.Children[i], typ, w)
	}
}

func (c *oracleCheck) shape(p *aep.Property, typ string, w lottieShape) {
	outer := c.where
	c.where += "/" + p.Name
	defer func() { c.where = outer }()
	switch typ {
	case "gr":
		var items []lottieShape
		if json.Unmarshal(w["it"], &items) == nil {
			c.shapes(p.Child("Contents"), items)
			for _, item := range items {
				if string(item["ty"]) == `"tr"` {
					for key, name := range map[string]string{"o": "Opacity", "r": "Rotation", "p": "Position", "a": "Anchor Point", "s": "Scale"} {
						c.property(name, p.Child("Transform").Child(name), item[key])
					}
				}
			}
		}
	case "sh":
		c.pathProperty("Path", p.Child("Path"), w["ks"])
	}
	for key, name := range shapeFields[typ] {
		c.property(name, p.Child(name), w[key])
	}
}

type lottiePath struct {
	In     [][2]float64 `json:"i"`
	Out    [][2]float64 `json:"o"`
	Points [][2]float64 `json:"v"`
	Closed *bool        `json:"c"`
}

func (c *oracleCheck) pathProperty(name string, p *aep.Property, raw json.RawMessage) {
	var node struct {
		K json.RawMessage `json:"k"`
	}
	var want lottiePath
	if json.Unmarshal(raw, &node) != nil {
		return
	}
	var keys []lottieKey
	if json.Unmarshal(node.K, &keys) == nil && len(keys) > 0 {
		c.pathKeys(name, p, keys)
		return
	}
	if json.Unmarshal(node.K, &want) != nil {
		c.t.Errorf("%s %s: the export has no path", c.where, name)
		return
	}
	got, ok := p.Value.(*aep.Path)
	if !ok || len(got.Vertices) != len(want.Points) {
		c.t.Errorf("%s %s: path %+v, want %d points", c.where, name, p.Value, len(want.Points))
		return
	}
	if want.Closed != nil && got.Closed != *want.Closed {
		c.t.Errorf("%s %s: closed %v, want %v", c.where, name, got.Closed, *want.Closed)
	}
	for i, v := range got.Vertices {
		c.numbers(name+" point", []float64{v.X, v.Y}, want.Points[i][:], 2e-3)
		c.numbers(name+" in", []float64{v.InX, v.InY}, want.In[i][:], 2e-3)
		c.numbers(name+" out", []float64{v.OutX, v.OutY}, want.Out[i][:], 2e-3)
	}
}

func (c *oracleCheck) pathKeys(name string, p *aep.Property, want []lottieKey) {
	if len(p.Keys) != len(want) {
		c.t.Errorf("%s %s: %d keyframes, want %d", c.where, name, len(p.Keys), len(want))
		return
	}
	for i, k := range p.Keys {
		c.close(name+" key time", (c.layer.Start+k.Time*c.layer.Stretch/100)*c.rate, want[i].Time, 0.02)
		if i+1 < len(p.Keys) && want[i].In != nil && p.Keys[i+1].In == aep.Bezier {
			c.close(name+" ease in x", 1-p.Keys[i+1].InEase[0].Influence, want[i].In.X[0], 2e-3)
			c.eases++
		}
	}
}

func (c *oracleCheck) property(name string, p *aep.Property, raw json.RawMessage) {
	var node struct {
		K    json.RawMessage `json:"k"`
		Expr string          `json:"x"`
		Sep  bool            `json:"s"`
	}
	if raw == nil || json.Unmarshal(raw, &node) != nil || node.K == nil {
		return
	}
	if p == nil {
		c.t.Errorf("%s: no property %q", c.where, name)
		return
	}
	if p.ExpressionOn || p.Separated {
		return
	}
	var keys []lottieKey
	if json.Unmarshal(node.K, &keys) == nil && len(keys) > 0 {
		c.keys(name, p, keys)
		return
	}
	var want flexible
	if json.Unmarshal(node.K, &want) != nil {
		return
	}
	if got, ok := p.Value.(aep.Numbers); ok {
		if !c.layer.ThreeD {
			want = want[:min(len(want), 2+2*boolInt(p.Color))]
		}
		c.numbers(name, got, want, 6e-3)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *oracleCheck) keys(name string, p *aep.Property, want []lottieKey) {
	if len(p.Keys) == 0 && c.t.Name() == "TestValuesAgreeWithAfterEffectsExports/Masks.json" {
		return // the project was saved again, without these keyframes, after it was exported
	}
	if len(p.Keys) != len(want) {
		c.t.Errorf("%s %s: %d keyframes, want %d", c.where, name, len(p.Keys), len(want))
		return
	}
	for i, k := range p.Keys {
		frame := (c.layer.Start + k.Time*c.layer.Stretch/100) * c.rate
		c.close(name+" key time", frame, want[i].Time, 0.02)
		var v flexible
		if want[i].Start != nil && json.Unmarshal(want[i].Start, &v) == nil {
			c.numbers(fmt.Sprintf("%s key %d", name, i), k.Value.(aep.Numbers), v, 6e-3)
		}
		if len(want[i].To) > 0 && k.TangentOut != nil {
			c.numbers(name+" tangent", k.TangentOut, want[i].To, 6e-3)
		}
		if i+1 < len(p.Keys) && want[i].Out != nil && want[i].In != nil && k.Out == aep.Bezier && p.Keys[i+1].In == aep.Bezier {
			c.ease(name, k, p.Keys[i+1], want[i])
		}
	}
}

// ease compares the cubic curve between two keyframes: its handles lie at the influences, and rise by the speeds. Of
// spatial values only straight ways are compared, whose length is that of the line.
func (c *oracleCheck) ease(name string, a, b aep.Keyframe, want lottieKey) {
	from, to := a.Value.(aep.Numbers), b.Value.(aep.Numbers)
	change := to[0] - from[0]
	if a.TangentOut != nil {
		change = 0
		for d := range from {
			if a.TangentOut[d] != 0 || b.TangentIn[d] != 0 {
				return
			}
			change = math.Hypot(change, to[d]-from[d])
		}
	}
	dt := b.Time - a.Time
	if math.Abs(change) < 1e-3 || a.Roving || b.Roving || len(a.OutEase) == 0 {
		return
	}
	out, in := a.OutEase[0], b.InEase[0]
	c.close(name+" ease out x", out.Influence, want.Out.X[0], 2e-3)
	c.close(name+" ease in x", 1-in.Influence, want.In.X[0], 2e-3)
	c.close(name+" ease out y", out.Speed*out.Influence*dt/change, want.Out.Y[0], 1e-2)
	c.close(name+" ease in y", 1-in.Speed*in.Influence*dt/change, want.In.Y[0], 1e-2)
	c.eases++
}

func (c *oracleCheck) close(what string, got, want, tolerance float64) {
	c.values++
	if math.Abs(got-want) > tolerance*max(1, math.Abs(want)*1e-3) {
		c.t.Errorf("%s: %s is %g, want %g", c.where, what, got, want)
	}
}

func (c *oracleCheck) numbers(what string, got, want []float64, tolerance float64) {
	for i := range want {
		if i >= len(got) {
			return // exports may add a dimension
		}
		c.close(fmt.Sprintf("%s[%d]", what, i), got[i], want[i], tolerance)
	}
}
