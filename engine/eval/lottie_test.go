package eval_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/engine/eval"
)

// After Effects itself wrote the Lottie files of these projects, so that their keyframes, evaluated by the rules of that
// format, say which value a property must have at any time.

type lottie struct {
	Rate   float64       `json:"fr"`
	Layers []lottieLayer `json:"layers"`
}

type lottieLayer struct {
	Name    string                    `json:"nm"`
	Stretch float64                   `json:"sr"`
	Time    map[string]lottieProperty `json:"ks"`
}

type lottieProperty struct {
	Value      json.RawMessage `json:"k"`
	Separated  any             `json:"s"`
	Expression any             `json:"x"`
}

type lottieKey struct {
	T     float64
	Start []float64     `json:"s"`
	End   []float64     `json:"e"`
	In    *lottieHandle `json:"i"`
	Out   *lottieHandle `json:"o"`
	To    []float64     `json:"to"`
	Ti    []float64     `json:"ti"`
	Hold  int           `json:"h"`
}

type lottieHandle struct{ X, Y oneOrMore }

// oneOrMore is a number, or one for each dimension.
type oneOrMore []float64

func (o *oneOrMore) UnmarshalJSON(b []byte) error {
	var one float64
	if json.Unmarshal(b, &one) == nil {
		*o = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(b, (*[]float64)(o))
}

func (o oneOrMore) at(i int) float64 { return o[min(i, len(o)-1)] }

// value is the value at frame f by the rules of Lottie; false for what it can't say.
func (p lottieProperty) value(f float64) ([]float64, bool) {
	var keys []lottieKey
	if json.Unmarshal(p.Value, &keys) != nil || len(keys) == 0 {
		var fixed oneOrMore
		return fixed, json.Unmarshal(p.Value, &fixed) == nil
	}
	for i := range keys {
		if keys[i].End == nil && i+1 < len(keys) {
			keys[i].End = keys[i+1].Start
		}
	}
	i := len(keys) - 1
	for i > 0 && keys[i].T > f+1e-6 {
		i--
	}
	k := keys[i]
	switch {
	case k.Start == nil && i > 0:
		return keys[i-1].End, true
	case f <= k.T || k.Hold == 1 || i == len(keys)-1:
		return k.Start, k.Start != nil
	case k.In == nil || k.Out == nil || k.End == nil:
		return nil, false
	}
	return k.between((f - k.T) / (keys[i+1].T - k.T)), true
}

func (k lottieKey) between(x float64) []float64 {
	out := make([]float64, len(k.Start))
	if len(k.To) > 0 && len(k.Ti) > 0 {
		c := func(t float64) []float64 {
			p := make([]float64, len(k.Start))
			for d := range p {
				to, ti := 0.0, 0.0
				if d < len(k.To) {
					to, ti = k.To[d], k.Ti[d]
				}
				p[d] = cubic(k.Start[d], k.Start[d]+to, k.End[d]+ti, k.End[d], t)
			}
			return p
		}
		return atShare(c, k.ease(0, x))
	}
	for d := range out {
		out[d] = k.Start[d] + (k.End[d]-k.Start[d])*k.ease(d, x)
	}
	return out
}

func (k lottieKey) ease(d int, x float64) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		if mid := (lo + hi) / 2; cubic(0, k.Out.X.at(d), k.In.X.at(d), 1, mid) < x {
			lo = mid
		} else {
			hi = mid
		}
	}
	return cubic(0, k.Out.Y.at(d), k.In.Y.at(d), 1, lo)
}

// atShare is the point at a share of the length of a curve.
func atShare(c func(float64) []float64, share float64) []float64 {
	const steps = 2000
	lengths := make([]float64, steps+1)
	prev := c(0)
	for i := 1; i <= steps; i++ {
		p := c(float64(i) / steps)
		d := 0.0
		for j := range p {
			d += (p[j] - prev[j]) * (p[j] - prev[j])
		}
		lengths[i] = lengths[i-1] + math.Sqrt(d)
		prev = p
	}
	i := 0
	for i < steps && lengths[i] < share*lengths[steps] {
		i++
	}
	return c(float64(i) / steps)
}

func cubic(a, b, c, d, t float64) float64 {
	s := 1 - t
	return s*s*s*a + 3*s*s*t*b + 3*s*t*t*c + t*t*t*d
}

// compared are the properties of a transform and how far they may lie from the export, which is rounded.
var compared = map[string]struct {
	match     string
	tolerance float64
}{
	"o": {"ADBE Opacity", 0.1}, "r": {"ADBE Rotate Z", 0.1}, "s": {"ADBE Scale", 0.1},
	"p": {"ADBE Position", 0.1}, "a": {"ADBE Anchor Point", 0.02},
}

func TestTransformsFollowTheExportsOfAfterEffects(t *testing.T) {
	folder := aeptest.Samples(t)
	values, moving := 0, 0
	for _, row := range exports(t, folder) {
		p, err := aep.Open(context.Background(), filepath.Join(folder, row[0]), aep.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		aep.Complete(p)
		var doc lottie
		b, err := os.ReadFile(filepath.Join(folder, row[3]))
		if err == nil {
			err = json.Unmarshal(b, &doc)
		}
		comp := p.Composition(row[1])
		if err != nil || comp == nil || len(doc.Layers) != len(comp.Comp.Layers) || math.Abs(doc.Rate-comp.Comp.FrameRate) > 0.01 {
			continue
		}
		e := &eval.Evaluator{Project: p}
		for i, l := range comp.Comp.Layers {
			if want := doc.Layers[i]; want.Name == p.DisplayName(l) && l.Stretch == 100 && !l.ThreeD {
				n, m := compare(t, e, comp, l, want, doc.Rate, row)
				values, moving = values+n, moving+m
			}
		}
	}
	t.Logf("%d values compared, %d of them between keyframes", values, moving)
	if moving < 1000 {
		t.Errorf("only %d values between keyframes were compared", moving)
	}
}

// stale are exports that were made from another state of the project than the one that is there.
var stale = []string{"Tests/Masks.json", "Tests/KeyframeTypes.json"}

func exports(t *testing.T, folder string) [][]string {
	f, err := os.Open(filepath.Join(folder, "ORACLES.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, row := range rows {
		old := false
		for _, s := range stale {
			old = old || strings.HasSuffix(row[3], s)
		}
		if strings.HasPrefix(row[2], "lottie-json") && !old {
			out = append(out, row)
		}
	}
	return out
}

func compare(t *testing.T, e *eval.Evaluator, comp *aep.Item, l *aep.Layer, want lottieLayer, rate float64, row []string) (values, moving int) {
	t.Helper()
	for name, c := range compared {
		prop := l.Props.Find("ADBE Transform Group", c.match)
		w, ok := want.Time[name]
		if name == "a" && l.Kind == aep.LayerText {
			continue // the export moves the box of a text and its anchor together
		}
		if !ok || prop == nil || prop.Separated || prop.Hidden || w.Expression != nil || w.Separated != nil || eval.Driven(prop) {
			continue
		}
		for f := 0.0; f < comp.Comp.Duration*rate && f < 400; f += 3.5 {
			v, ok := w.value(f)
			if !ok {
				continue
			}
			got, _ := e.Value(eval.Ref{Comp: comp, Layer: l, Prop: prop}, f/rate).(aep.Numbers)
			for d := 0; d < min(2, len(v), len(got)); d++ {
				values++
				if len(prop.Keys) > 1 {
					moving++
				}
				if math.Abs(got[d]-v[d]) > c.tolerance {
					t.Errorf("%s %s: %s[%d] of layer %q at frame %g is %g, exported %g", filepath.Base(row[3]), row[1], c.match, d, want.Name, f, got[d], v[d])
					return values, moving
				}
			}
		}
	}
	return values, moving
}
