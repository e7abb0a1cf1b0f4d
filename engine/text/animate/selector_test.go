package animate

import (
	"math"
	"slices"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

func wiggle(props ...*aep.Property) []*aep.Property {
	return []*aep.Property{group("ADBE Text Wiggly Selector", props...)}
}

// wiggled are the positions of the five visible glyphs, as parts of those that they would have in full, at a time.
func wiggled(t *testing.T, at float64, selectors []*aep.Property) []geom.Point {
	t.Helper()
	x := compile(t, animators(animated(selectors, value("ADBE Text Position 3D", 1, 1))))
	var out []geom.Point
	still := words3()
	for i, m := range x.Marks(&eval.Evaluator{}, at, still, nil) {
		g := still.Glyphs[[]int{0, 1, 3, 4, 5}[i]]
		out = append(out, m.Matrix.Apply(geom.Point{}).Sub(geom.Point{X: g.X, Y: g.Y}))
	}
	return out
}

func TestWigglingStaysWithinItsAmounts(t *testing.T) {
	lo, hi := 1.0, -1.0
	for i := range 400 {
		for _, p := range wiggled(t, float64(i)/7, wiggle(value("ADBE Text Wiggly Max Amount", 60), value("ADBE Text Wiggly Min Amount", -20))) {
			lo, hi = min(lo, p.X, p.Y), max(hi, p.X, p.Y)
		}
	}
	if lo < -0.2-1e-9 || hi > 0.6+1e-9 || hi-lo < 0.7 {
		t.Errorf("it goes from %g to %g", lo, hi)
	}
}

func TestWigglingIsSmoothAndTheSameEveryTime(t *testing.T) {
	before := wiggled(t, 1, wiggle())
	if !slices.Equal(before, wiggled(t, 1, wiggle())) {
		t.Error("it differs the second time")
	}
	after := wiggled(t, 1.001, wiggle())
	for i := range before {
		if d := after[i].Sub(before[i]).Len(); d == 0 || d > 0.02 {
			t.Errorf("glyph %d moves by %g in a millisecond", i, d)
		}
	}
	if slices.Equal(before, wiggled(t, 1, wiggle(value("ADBE Text Wiggly Random Seed", 1)))) {
		t.Error("another seed changes nothing")
	}
	if slices.Equal(before, wiggled(t, 1, wiggle(value("ADBE Text Temporal Phase", 90)))) {
		t.Error("another phase changes nothing")
	}
}

func TestCorrelationAndDimensions(t *testing.T) {
	same := wiggled(t, 1.3, wiggle(value("ADBE Text Character Correlation", 100)))
	for _, p := range same {
		if p.Sub(same[0]).Len() > 1e-9 || math.Abs(p.X-p.Y) < 1e-9 {
			t.Errorf("with full correlation: %v", same)
		}
	}
	for _, p := range wiggled(t, 1.3, wiggle(value("ADBE Text Wiggly Lock Dim", 1))) {
		if math.Abs(p.X-p.Y) > 1e-9 {
			t.Errorf("with locked dimensions: %v", p)
		}
	}
	apart := wiggled(t, 1.3, wiggle(value("ADBE Text Character Correlation", 0)))
	if apart[0] == apart[1] || apart[1] == apart[2] {
		t.Errorf("without correlation: %v", apart)
	}
}

func TestWigglingWithinASelection(t *testing.T) {
	got := wiggled(t, 1.3, append(half(), wiggle(value("ADBE Text Selector Mode", float64(modeIntersect)))...))
	if got[0] == (geom.Point{}) || got[3] != (geom.Point{}) || got[4] != (geom.Point{}) {
		t.Errorf("only the first three characters wiggle: %v", got)
	}
}

func TestARandomOrderIsAnotherOrder(t *testing.T) {
	ramp := func(more ...*aep.Property) []float64 {
		sel := group("ADBE Text Selector", group("ADBE Text Range Advanced", append(more, value("ADBE Text Range Shape", shapeRampUp))...))
		var out []float64
		for _, p := range wiggled(t, 0, []*aep.Property{sel}) {
			out = append(out, math.Round(p.X*12)/12)
		}
		return out
	}
	plain := ramp()
	shuffled := ramp(value("ADBE Text Randomize Order", 1), value("ADBE Text Random Seed", 3))
	if !slices.IsSorted(plain) || slices.IsSorted(shuffled) || !slices.Equal(shuffled, ramp(value("ADBE Text Randomize Order", 1), value("ADBE Text Random Seed", 3))) {
		t.Errorf("in order %v, shuffled %v", plain, shuffled)
	}
	values := make([]float64, 100)
	for i := range values {
		values[i] = float64(i)
	}
	mixed := shuffle(values, chance{})
	slices.Sort(mixed)
	if !slices.Equal(mixed, values) {
		t.Error("values were lost")
	}
}

// asked is an expression engine that notes what it is asked.
type asked struct{ list []eval.Selection }

func (*asked) Evaluate(_ eval.Ref, before aep.Value, _ float64) (aep.Value, error) {
	return before, nil
}

func (a *asked) Select(_ eval.Ref, s eval.Selection, _ aep.Value, _ float64) (aep.Value, error) {
	a.list = append(a.list, s)
	return aep.Numbers{float64(s.Index) * 10, 1e9, -5}, nil
}

func TestExpressionSelectorsAreAskedOnceForEachUnit(t *testing.T) {
	amount := value("ADBE Text Expressible Amount", 100, 100, 100)
	amount.Expression, amount.ExpressionOn = "textIndex * 10", true
	x := compile(t, animators(animated(append(half(), group("ADBE Text Expressible Selector", value("ADBE Text Range Type2", words), amount)),
		value("ADBE Text Position 3D", 10, 10))))
	if !x.Timed() {
		t.Error("the text is kept from frame to frame")
	}
	var engine asked
	m := x.Marks(&eval.Evaluator{Expressions: &engine}, 2, words3(), nil)
	want := []eval.Selection{{Index: 1, Total: 3, Value: [3]float64{100, 100, 100}}, {Index: 2, Total: 3}, {Index: 3, Total: 3}}
	if !slices.Equal(engine.list, want) {
		t.Errorf("asked %+v", engine.list)
	}
	samePoints(t, []geom.Point{m[0].Matrix.Apply(geom.Point{}), m[2].Matrix.Apply(geom.Point{})}, geom.Point{X: 1, Y: 10}, geom.Point{X: 32, Y: 10})
}

func TestWhatIsNotDrawnIsListed(t *testing.T) {
	x := compile(t,
		animators(
			animated([]*aep.Property{group("ADBE Text Magic Selector")}, value("ADBE Text Position 3D", 1, 2, 3), value("ADBE Text Rotation X", 20)),
			animated(wiggle(), value("ADBE Text Glow", 1)),
		),
		group("ADBE Text More Options", value("ADBE Text Character Blend Mode", 99)))
	if want := []string{"text selector 'ADBE Text Magic Selector'", "property 'ADBE Text Glow' of text animator 'ADBE Text Animator'",
		"the blending of characters with each other"}; !slices.Equal(x.Lacks(), want) {
		t.Errorf("lacks %q", x.Lacks())
	}
	if want := []string{"the depth of characters in text animator 'ADBE Text Animator'",
		"After Effects' own randomness in the selector 'ADBE Text Wiggly Selector'"}; !slices.Equal(x.Nearly(), want) {
		t.Errorf("nearly %q", x.Nearly())
	}
}
