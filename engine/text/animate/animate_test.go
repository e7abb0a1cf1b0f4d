package animate

import (
	"math"
	"slices"
	"testing"
	"unicode"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/text"
)

// words3 is "ab cd" above "e": each character is 10 pixels wide, lines are 20 apart, the first baseline is at 0.
func words3() *text.Layout {
	st := &aep.CharacterStyle{Size: 10, ApplyFill: true, Fill: [4]float64{1, 1, 1, 1}, Stroke: [4]float64{0, 0, 0, 1}}
	l := &text.Layout{Counts: text.Counts{Chars: 6, Solids: 5, Words: 3}, Lines: []text.Line{{Width: 50}, {Width: 10, Baseline: 20}}}
	for i, c := range []struct {
		r                        rune
		line, word, solid, where int
	}{{'a', 0, 0, 0, 0}, {'b', 0, 0, 1, 1}, {' ', 0, 0, 2, 2}, {'c', 0, 1, 2, 3}, {'d', 0, 1, 3, 4}, {'e', 1, 2, 4, 0}} {
		g := text.Glyph{Rune: c.r, Style: st, X: 10 * float64(c.where), Y: 20 * float64(c.line), Advance: 10,
			Line: c.line, Word: c.word, Char: i, Solid: c.solid}
		if c.r != ' ' {
			g.Outline = box(8, 8)
		}
		l.Glyphs = append(l.Glyphs, g)
	}
	return l
}

// box stands on the pen.
func box(w, h float64) geom.Outline {
	var o geom.Outline
	o.Move(0, 0)
	o.Line(w, 0)
	o.Line(w, -h)
	o.Line(0, -h)
	o.Close()
	return o
}

// wide replaces characters by ones that are 10 pixels wider than their place in the alphabet.
type wide struct{}

func (wide) Replace(g *text.Glyph, r rune) text.Glyph {
	out := *g
	out.Rune, out.Advance = r, float64(10+unicode.ToLower(r)-'a')
	return out
}

func group(match string, children ...*aep.Property) *aep.Property {
	return &aep.Property{Match: match, Group: true, Enabled: true, Children: children}
}

func value(match string, v ...float64) *aep.Property {
	return &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v)}
}

func animated(selectors []*aep.Property, props ...*aep.Property) *aep.Property {
	return group("ADBE Text Animator", group("ADBE Text Selectors", selectors...), group("ADBE Text Animator Properties", props...))
}

// half selects the first 3 of 6 characters.
func half(more ...*aep.Property) []*aep.Property {
	return []*aep.Property{group("ADBE Text Selector", value("ADBE Text Percent End", 50), group("ADBE Text Range Advanced", more...))}
}

func compile(t testing.TB, groups ...*aep.Property) *Text {
	t.Helper()
	l := &aep.Layer{ID: 7, Props: group("layer")}
	for _, g := range groups {
		if g.Match == "ADBE Mask Parade" {
			l.Props.Children = append(l.Props.Children, g)
		}
	}
	x := Compile(eval.Ref{Layer: l, Prop: group("ADBE Text Properties", groups...)})
	if x == nil {
		t.Fatal("nothing changes the text")
	}
	return x
}

func animators(list ...*aep.Property) *aep.Property { return group("ADBE Text Animators", list...) }

func marks(t testing.TB, x *Text) []Mark {
	t.Helper()
	return x.Marks(&eval.Evaluator{}, 0, words3(), wide{})
}

// pens are where the pens of the visible glyphs are: of a, b, c, d and e.
func pens(t testing.TB, x *Text) []geom.Point {
	t.Helper()
	var out []geom.Point
	for _, m := range marks(t, x) {
		out = append(out, m.Matrix.Apply(geom.Point{}))
	}
	return out
}

func samePoints(t *testing.T, got []geom.Point, want ...geom.Point) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b geom.Point) bool { return a.Sub(b).Len() < 1e-6 }) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestATextWithoutAnythingToDoIsLeftAsItIs(t *testing.T) {
	for name, groups := range map[string][]*aep.Property{
		"nothing":           nil,
		"no animator":       {animators()},
		"no property":       {animators(animated(half()))},
		"an animator off":   {animators(func() *aep.Property { a := animated(nil, value("ADBE Text Opacity", 0)); a.Enabled = false; return a }())},
		"hidden properties": {animators(animated(nil, &aep.Property{Match: "ADBE Text Rotation X", Hidden: true, Value: aep.Numbers{30}}))},
		"options alone":     {group("ADBE Text More Options", value("ADBE Text Anchor Point Option", 3))},
		"no mask":           {group("ADBE Text Path Options", value("ADBE Text Path", 0))},
	} {
		if x := Compile(eval.Ref{Layer: &aep.Layer{}, Prop: group("ADBE Text Properties", groups...)}); x != nil {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

func TestPositionsOfSelectedCharactersMove(t *testing.T) {
	move := value("ADBE Text Position 3D", 4, -6, 0)
	c := func(x, y float64) geom.Point { return geom.Point{X: x, Y: y} }
	for name, tc := range map[string]struct {
		selectors []*aep.Property
		want      []geom.Point
	}{
		"all without a selector": {nil, []geom.Point{c(4, -6), c(14, -6), c(34, -6), c(44, -6), c(4, 14)}},
		"half of the characters": {half(), []geom.Point{c(4, -6), c(14, -6), c(30, 0), c(40, 0), c(0, 20)}},
		"half of those without spaces": {half(value("ADBE Text Range Type2", 2)),
			[]geom.Point{c(4, -6), c(14, -6), c(32, -3), c(40, 0), c(0, 20)}},
		"half of the words": {half(value("ADBE Text Range Type2", 3)), []geom.Point{c(4, -6), c(14, -6), c(32, -3), c(42, -3), c(0, 20)}},
		"half of the lines": {half(value("ADBE Text Range Type2", 4)), []geom.Point{c(4, -6), c(14, -6), c(34, -6), c(44, -6), c(0, 20)}},
		"subtracted":        {half(value("ADBE Text Selector Mode", 2)), []geom.Point{c(0, 0), c(10, 0), c(34, -6), c(44, -6), c(4, 14)}},
		"half of the amount": {half(value("ADBE Text Selector Max Amount", -50)),
			[]geom.Point{c(-2, 3), c(8, 3), c(30, 0), c(40, 0), c(0, 20)}},
		"the second to the fourth by index": {[]*aep.Property{group("ADBE Text Selector", value("ADBE Text Index Start", 0), value("ADBE Text Index End", 3),
			value("ADBE Text Index Offset", 1), group("ADBE Text Range Advanced", value("ADBE Text Range Units", 2)))},
			[]geom.Point{c(0, 0), c(14, -6), c(34, -6), c(40, 0), c(0, 20)}},
		"from the third by index": {[]*aep.Property{group("ADBE Text Selector", value("ADBE Text Index Start", 3),
			group("ADBE Text Range Advanced", value("ADBE Text Range Units", 2)))},
			[]geom.Point{c(0, 0), c(10, 0), c(34, -6), c(44, -6), c(4, 14)}},
		"where two selectors meet": {append(half(), group("ADBE Text Selector", value("ADBE Text Percent Start", 16.666666666666),
			group("ADBE Text Range Advanced", value("ADBE Text Selector Mode", 3)))),
			[]geom.Point{c(0, 0), c(14, -6), c(30, 0), c(40, 0), c(0, 20)}},
	} {
		t.Run(name, func(t *testing.T) {
			samePoints(t, pens(t, compile(t, animators(animated(tc.selectors, move)))), tc.want...)
		})
	}
}

func TestShapesOfASelectionAreThoseOfTheExports(t *testing.T) {
	round := func(x float64) float64 { return math.Sqrt(1 - x*x) }
	for name, c := range map[string]struct {
		form form
		want [4]float64
	}{
		"square":            {form{end: 4, smoothness: 1}, [4]float64{1, 1, 1, 1}},
		"part of a square":  {form{start: 0.25, end: 2.5, smoothness: 1}, [4]float64{0.75, 1, 0.5, 0}},
		"within one unit":   {form{start: 1.2, end: 1.4, smoothness: 1}, [4]float64{0, 0.2, 0, 0}},
		"not smooth":        {form{start: 0.25, end: 2.4}, [4]float64{1, 1, 0, 0}},
		"half as smooth":    {form{start: 0.625, end: 2.25, smoothness: 0.5}, [4]float64{0.25, 1, 0, 0}},
		"ramp up":           {form{shape: 2, end: 4}, [4]float64{0.125, 0.375, 0.625, 0.875}},
		"ramp up, narrow":   {form{shape: 2, start: 1, end: 3}, [4]float64{0, 0.25, 0.75, 1}},
		"ramp up, nothing":  {form{shape: 2, start: 2, end: 2}, [4]float64{0, 0, 1, 1}},
		"ramp down":         {form{shape: 3, end: 4}, [4]float64{0.875, 0.625, 0.375, 0.125}},
		"ramp down, none":   {form{shape: 3, start: 2, end: 2}, [4]float64{1, 1, 0, 0}},
		"triangle":          {form{shape: 4, end: 4}, [4]float64{0.25, 0.75, 0.75, 0.25}},
		"round":             {form{shape: 5, end: 4}, [4]float64{round(0.75), round(0.25), round(0.25), round(0.75)}},
		"smooth":            {form{shape: 6, end: 4}, [4]float64{0.5 - math.Sqrt2/4, 0.5 + math.Sqrt2/4, 0.5 + math.Sqrt2/4, 0.5 - math.Sqrt2/4}},
		"triangle, nothing": {form{shape: 4, start: 2, end: 2}, [4]float64{}},
	} {
		c.form.ease = newEase(0, 0)
		for i, want := range c.want {
			if got := c.form.at(i); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: unit %d has %g, want %g", name, i, got, want)
			}
		}
	}
}

func TestEaseFollowsItsCurve(t *testing.T) {
	for _, c := range []struct{ high, low, x, want float64 }{
		{0, 0, 0.3, 0.3}, {0, 1, 0, 0}, {0, 1, 1, 1},
		// The controls are (0, 1) and (1, 1): half way along, the curve is at (1/2, 7/8).
		{0, -1, 1.0 / 2, 7.0 / 8},
		// The controls are (0, 0) and (0, 1): there it is at (1/8, 1/2).
		{1, 0, 1.0 / 8, 1.0 / 2},
		// The controls are (1, 0) and (1, 1): there it is at (7/8, 1/2).
		{0, 1, 7.0 / 8, 1.0 / 2},
	} {
		e := newEase(c.high, c.low)
		if got := e.at(c.x); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("ease %g, %g at %g is %g, want %g", c.high, c.low, c.x, got, c.want)
		}
	}
}

func TestModesCombineSelectorsLikeMasks(t *testing.T) {
	for m, c := range map[mode]struct{ alone, both float64 }{
		modeAdd: {0.3, 0.8}, modeSubtract: {0.7, 0.2}, modeIntersect: {0.3, 0.15}, modeMin: {0.3, 0.3}, modeMax: {0.3, 0.5}, modeDifference: {0.3, 0.2},
	} {
		if got := m.combine(m.base(), 0.3); math.Abs(got-c.alone) > 1e-9 {
			t.Errorf("mode %d alone gives %g, want %g", m, got, c.alone)
		}
		if got := m.combine(0.5, 0.3); math.Abs(got-c.both) > 1e-9 {
			t.Errorf("mode %d after 0.5 gives %g, want %g", m, got, c.both)
		}
	}
}
