package animate

import (
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// corner is where a corner of the first glyph's box is, relative to the middle of the character on the baseline.
func corner(m Mark, x, y float64) geom.Point {
	return m.Matrix.Apply(geom.Point{X: x, Y: y}).Sub(geom.Point{X: 5})
}

func TestCharactersTurnAboutTheMiddleOfTheirBaseline(t *testing.T) {
	for name, c := range map[string]struct {
		props []*aep.Property
		want  geom.Point // of the pen, which is at (-5, 0)
	}{
		"rotation":        {[]*aep.Property{value("ADBE Text Rotation", 90)}, geom.Point{Y: -5}},
		"scale":           {[]*aep.Property{value("ADBE Text Scale 3D", 200, 50, 100)}, geom.Point{X: -10}},
		"anchor point":    {[]*aep.Property{value("ADBE Text Anchor Point 3D", 3, 4, 0)}, geom.Point{X: -8, Y: -4}},
		"turned anchor":   {[]*aep.Property{value("ADBE Text Anchor Point 3D", -5, 0), value("ADBE Text Rotation", 180)}, geom.Point{}},
		"turned about y":  {[]*aep.Property{value("ADBE Text Rotation Y", 60)}, geom.Point{X: -2.5}},
		"turned about x":  {[]*aep.Property{value("ADBE Text Rotation X", 60), value("ADBE Text Anchor Point 3D", 0, 4)}, geom.Point{X: -5, Y: -2}},
		"skew":            {[]*aep.Property{value("ADBE Text Skew", 45), value("ADBE Text Anchor Point 3D", 0, 4)}, geom.Point{X: -1, Y: -4}},
		"skew along axis": {[]*aep.Property{value("ADBE Text Skew", 45), value("ADBE Text Skew Axis", 90)}, geom.Point{X: -5, Y: -5}},
	} {
		t.Run(name, func(t *testing.T) {
			got := corner(marks(t, compile(t, animators(animated(nil, c.props...))))[0], 0, 0)
			if got.Sub(c.want).Len() > 1e-9 {
				t.Errorf("the pen is at %v, want %v", got, c.want)
			}
		})
	}
}

func TestAnimatorsAddUp(t *testing.T) {
	x := compile(t, animators(
		animated(nil, value("ADBE Text Scale 3D", 200, 200, 100), value("ADBE Text Rotation", 60)),
		animated(nil, value("ADBE Text Scale 3D", 50, 100, 100), value("ADBE Text Rotation", 30)),
	))
	if got := corner(marks(t, x)[0], 0, 0); got.Sub(geom.Point{Y: -5}).Len() > 1e-9 {
		t.Errorf("the pen is at %v", got)
	}
}

func TestTheGroupingSaysWhatCharactersTurnAbout(t *testing.T) {
	turn := animators(animated(nil, value("ADBE Text Rotation", 180)))
	for name, c := range map[string]struct {
		grouping float64
		align    []float64
		first    geom.Point // where the pens of a and of d come to lie
		fourth   geom.Point
	}{
		"character":        {1, []float64{0, 0}, geom.Point{X: 10}, geom.Point{X: 50}},
		"word":             {2, []float64{0, 0}, geom.Point{X: 20}, geom.Point{X: 40}},
		"line":             {3, []float64{0, 0}, geom.Point{X: 50}, geom.Point{X: 10}},
		"all":              {4, []float64{0, 0}, geom.Point{X: 50, Y: 20}, geom.Point{X: 10, Y: 20}},
		"left end":         {1, []float64{-100, 0}, geom.Point{}, geom.Point{X: 40}},
		"right end a word": {2, []float64{100, 0}, geom.Point{X: 40}, geom.Point{X: 60}},
		"half way up":      {1, []float64{0, -50}, geom.Point{X: 10, Y: -10 * alignHeight}, geom.Point{X: 50, Y: -10 * alignHeight}},
	} {
		t.Run(name, func(t *testing.T) {
			got := pens(t, compile(t, turn, group("ADBE Text More Options",
				value("ADBE Text Anchor Point Option", c.grouping), value("ADBE Text Anchor Point Align", c.align...))))
			samePoints(t, []geom.Point{got[0], got[3]}, c.first, c.fourth)
		})
	}
}

func TestColoursChange(t *testing.T) {
	type rgba = [4]float64
	for name, c := range map[string]struct {
		amount float64
		prop   *aep.Property
		from   rgba
		want   rgba
	}{
		"fill":             {100, value("ADBE Text Fill Color", 1, 0, 0, 1), rgba{0, 1, 0, 1}, rgba{1, 0, 0, 1}},
		"half of a fill":   {50, value("ADBE Text Fill Color", 1, 0, 0, 1), rgba{0, 1, 0, 1}, rgba{0.5, 0.5, 0, 1}},
		"hue":              {100, value("ADBE Text Fill Hue", 120), rgba{1, 0, 0, 1}, rgba{0, 1, 0, 1}},
		"hue backwards":    {100, value("ADBE Text Fill Hue", -120), rgba{1, 0, 0, 1}, rgba{0, 0, 1, 1}},
		"part of a hue":    {50, value("ADBE Text Fill Hue", 120), rgba{1, 0, 0, 1}, rgba{1, 1, 0, 1}},
		"saturation":       {100, value("ADBE Text Fill Saturation", -50), rgba{1, 0, 0, 1}, rgba{1, 0.5, 0.5, 1}},
		"brightness":       {100, value("ADBE Text Fill Brightness", -50), rgba{1, 0.5, 0, 1}, rgba{0.5, 0.25, 0, 1}},
		"fill's opacity":   {100, value("ADBE Text Fill Opacity", 40), rgba{1, 1, 1, 1}, rgba{1, 1, 1, 0.4}},
		"half of opacity":  {50, value("ADBE Text Fill Opacity", 40), rgba{1, 1, 1, 1}, rgba{1, 1, 1, 0.7}},
		"negative opacity": {-50, value("ADBE Text Fill Opacity", 40), rgba{1, 1, 1, 1}, rgba{1, 1, 1, 1}},
	} {
		l := words3()
		for i := range l.Glyphs {
			l.Glyphs[i].Style.Fill = c.from
		}
		sel := group("ADBE Text Selector", group("ADBE Text Range Advanced", value("ADBE Text Selector Max Amount", c.amount)))
		m := compile(t, animators(animated([]*aep.Property{sel}, c.prop))).Marks(&eval.Evaluator{}, 0, l, nil)
		for i := range c.want {
			if got := m[0].Shapes[0].Color; math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				break
			}
		}
	}
}

func TestAStrokeCanBeAdded(t *testing.T) {
	m := marks(t, compile(t, animators(animated(half(), value("ADBE Text Stroke Width", 3), value("ADBE Text Stroke Color", 0, 0, 1, 1)))))
	first, last := m[0].Shapes, m[4].Shapes
	if len(first) != 2 || first[0].Stroke == nil || first[0].Stroke.Width != 3 || first[0].Color != [4]float64{0, 0, 1, 1} {
		t.Errorf("a selected glyph is %+v", first)
	}
	if len(last) != 1 || last[0].Stroke != nil {
		t.Errorf("a glyph that is not selected is %+v", last)
	}
}

func TestFillsAndStrokesAreOrdered(t *testing.T) {
	stroke := animators(animated(nil, value("ADBE Text Stroke Width", 3)))
	for order, want := range map[float64]string{1: "sfsfsfsfsf", fillsAbove: "sssssfffff", strokesAbove: "fffffsssss"} {
		got := ""
		for _, m := range marks(t, compile(t, stroke, group("ADBE Text More Options", value("ADBE Text Render Order", order)))) {
			for _, s := range m.Shapes {
				if s.Stroke != nil {
					got += "s"
				} else {
					got += "f"
				}
			}
		}
		if got != want {
			t.Errorf("order %g draws %s, want %s", order, got, want)
		}
	}
}

func TestTrackingSpreadsLinesFromWhereTheyAreAnchored(t *testing.T) {
	x := func(list ...float64) []geom.Point {
		out := make([]geom.Point, 0, 5)
		for _, v := range list {
			out = append(out, geom.Point{X: v})
		}
		return append(out, geom.Point{Y: 20})
	}
	amount := value("ADBE Text Tracking Amount", 4)
	for name, c := range map[string]struct {
		selectors []*aep.Property
		more      []*aep.Property
		align     float64
		want      []geom.Point
	}{
		"before and after":      {nil, nil, 0, x(0, 14, 42, 56)},
		"before":                {nil, []*aep.Property{value("ADBE Text Track Type", 2)}, 0, x(0, 14, 42, 56)},
		"after":                 {nil, []*aep.Property{value("ADBE Text Track Type", 3)}, 0, x(0, 14, 42, 56)},
		"before, of a part":     {half(), []*aep.Property{value("ADBE Text Track Type", 2)}, 0, x(0, 14, 38, 48)},
		"after, of a part":      {half(), []*aep.Property{value("ADBE Text Track Type", 3)}, 0, x(0, 14, 42, 52)},
		"both, of a part":       {half(), nil, 0, x(0, 14, 40, 50)},
		"of a centred line":     {nil, nil, 0.5, x(-8, 6, 34, 48)},
		"anchored at the right": {nil, []*aep.Property{value("ADBE Text Line Anchor", 100)}, 0, x(-16, -2, 26, 40)},
	} {
		t.Run(name, func(t *testing.T) {
			text := compile(t, animators(animated(c.selectors, append(c.more, amount)...)))
			l := words3()
			l.Lines[0].Align, l.Lines[1].Align = c.align, c.align
			var got []geom.Point
			for _, m := range text.Marks(&eval.Evaluator{}, 0, l, nil) {
				got = append(got, m.Matrix.Apply(geom.Point{}))
			}
			samePoints(t, got, c.want...)
		})
	}
}

func TestLineSpacingMovesLinesAfterTheFirst(t *testing.T) {
	got := pens(t, compile(t, animators(animated(nil, value("ADBE Text Line Spacing", 3, 7)))))
	samePoints(t, got[3:], geom.Point{X: 40}, geom.Point{X: 3, Y: 27})
}

func TestCharactersChange(t *testing.T) {
	for _, c := range []struct {
		r          rune
		value      float64
		offset     float64
		characters int
		want       rune
	}{
		{'a', 'a', 1, 1, 'b'}, {'z', 'z', 1, 1, 'a'}, {'A', 'A', -1, 1, 'Z'}, {'7', '7', 25, 1, '2'}, {'?', '?', 3, 1, '?'}, {'é', 'é', 1, 1, 'é'},
		{'a', 'a', 0.4, 1, 'a'}, {'a', 'a', 1, fullUnicode, 'b'}, {'z', 'z', 1, fullUnicode, '{'}, {'?', '?', 3, fullUnicode, 'B'},
		{'a', 'X', 0, 1, 'X'}, {'a', 'X', 1, 1, 'Y'}, {' ', 'X', 1, 1, ' '},
		{'a', math.NaN(), 0, 1, 'a'}, {'a', math.Inf(1), 0, 1, 'a'}, {'a', 'a', -1e300, fullUnicode, 'a'}, {'a', 0xD800, 0, 1, 'a'}, {'a', 7, 0, 1, 'a'},
	} {
		base := words3().Glyphs[0]
		base.Rune = c.r
		g := newGlyph(&base)
		g.code, g.offset, g.characters = c.value, c.offset, c.characters
		if got := g.character(); got != c.want {
			t.Errorf("%q as %g, offset %g is %q, want %q", c.r, c.value, c.offset, got, c.want)
		}
	}
}

func TestReplacedCharactersAreAligned(t *testing.T) {
	for align, want := range map[float64]geom.Point{1: {}, alignCenter: {X: -1}, alignRight: {X: -2}, alignKern: {}} {
		// a becomes c, which is 2 wider, b becomes d, which is 3 wider.
		got := pens(t, compile(t, animators(animated(half(), value("ADBE Text Character Offset", 2), value("ADBE Text Character Change Type", align)))))
		next := map[bool]float64{false: 30, true: 35}[align == alignKern]
		samePoints(t, []geom.Point{got[0], got[2]}, want, geom.Point{X: next})
	}
}
