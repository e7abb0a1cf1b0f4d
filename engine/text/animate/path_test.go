package animate

import (
	"math"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// follow is a text that follows a mask.
func follow(t *testing.T, p *aep.Path, options ...*aep.Property) *Text {
	t.Helper()
	mask := group("ADBE Mask Atom", &aep.Property{Match: "ADBE Mask Shape", Value: p})
	mask.Mask = &aep.MaskInfo{}
	return compile(t, group("ADBE Mask Parade", mask), group("ADBE Text Path Options", append(options, value("ADBE Text Path", 1))...))
}

func straight(x0, y0, x1, y1 float64) *aep.Path {
	return &aep.Path{Vertices: []aep.Vertex{{X: x0, Y: y0}, {X: x1, Y: y1}}}
}

func TestTextFollowsALine(t *testing.T) {
	c := func(x, y float64) geom.Point { return geom.Point{X: x, Y: y} }
	down := straight(100, 0, 100, 200)
	for name, tc := range map[string]struct {
		path    *aep.Path
		align   float64
		options []*aep.Property
		want    []geom.Point // of a, d and e
	}{
		"to the right":    {straight(100, 50, 300, 50), 0, nil, []geom.Point{c(100, 50), c(140, 50), c(100, 70)}},
		"down":            {down, 0, nil, []geom.Point{c(100, 0), c(100, 40), c(80, 0)}},
		"down, reversed":  {down, 0, []*aep.Property{value("ADBE Text Reverse Path", 1)}, []geom.Point{c(100, 200), c(100, 160), c(120, 200)}},
		"down, upright":   {down, 0, []*aep.Property{value("ADBE Text Perpendicular To Path", 0)}, []geom.Point{c(95, 5), c(95, 45), c(95, 25)}},
		"first margin":    {down, 0, []*aep.Property{value("ADBE Text First Margin", 30)}, []geom.Point{c(100, 30), c(100, 70), c(80, 30)}},
		"beyond the ends": {down, 0, []*aep.Property{value("ADBE Text First Margin", -30)}, []geom.Point{c(100, -30), c(100, 10), c(80, -30)}},
		"from the right":  {down, 1, []*aep.Property{value("ADBE Text Last Margin", -30)}, []geom.Point{c(100, 120), c(100, 160), c(80, 160)}},
		"centred":         {down, 0.5, nil, []geom.Point{c(100, 75), c(100, 115), c(80, 95)}},
		"from end to end": {down, 0, []*aep.Property{value("ADBE Text Force Align Path", 1)}, []geom.Point{c(100, 0), c(100, 190), c(80, 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			l := words3()
			for i := range l.Lines {
				l.Lines[i].Align = tc.align
			}
			m := follow(t, tc.path, tc.options...).Marks(&eval.Evaluator{}, 0, l, nil)
			samePoints(t, []geom.Point{m[0].Matrix.Apply(geom.Point{}), m[3].Matrix.Apply(geom.Point{}), m[4].Matrix.Apply(geom.Point{})}, tc.want...)
		})
	}
}

// circle has radius 100 about the origin; it begins at the top and goes clockwise.
func circle() *aep.Path {
	const k = 55.22847498
	return &aep.Path{Closed: true, Vertices: []aep.Vertex{
		{X: 0, Y: -100, InX: -k, OutX: k}, {X: 100, Y: 0, InY: -k, OutY: k}, {X: 0, Y: 100, InX: k, OutX: -k}, {X: -100, Y: 0, InY: k, OutY: -k},
	}}
}

func TestTextGoesRoundACircle(t *testing.T) {
	for name, c := range map[string]struct {
		margin, reversed float64
		angle            float64 // of the middle of the first character from the top, clockwise, in radians
	}{
		"from the top": {0, 0, 0.05}, "a quarter on": {50 * math.Pi, 0, math.Pi/2 + 0.05}, "the last quarter": {-50 * math.Pi, 0, -math.Pi/2 + 0.05},
		"twice round": {450 * math.Pi, 0, math.Pi/2 + 0.05}, "the other way": {0, 1, -0.05},
	} {
		x := follow(t, circle(), value("ADBE Text First Margin", c.margin), value("ADBE Text Reverse Path", c.reversed))
		m := marks(t, x)[0].Matrix
		sin, cos := math.Sincos(c.angle)
		if got := m.Apply(geom.Point{X: 5}); got.Sub(geom.Point{X: 100 * sin, Y: -100 * cos}).Len() > 0.25 { // the curve is no exact circle
			t.Errorf("%s: the middle of the first character is at %v", name, got)
		}
		// Characters stand upright on the path: outside, or inside when it goes the other way.
		head := m.Apply(geom.Point{X: 5, Y: -10}).Len()
		if want := 110 - 20*c.reversed; math.Abs(head-want) > 0.1 {
			t.Errorf("%s: its head is %g from the middle, want %g", name, head, want)
		}
	}
}

func TestPathsWithoutALengthAreNoPaths(t *testing.T) {
	for name, p := range map[string]*aep.Path{
		"empty": {}, "one point": {Vertices: []aep.Vertex{{X: 5, Y: 5}}}, "closed point": {Closed: true, Vertices: []aep.Vertex{{X: 5, Y: 5}}},
		"twice the same": straight(5, 5, 5, 5), "not a number": straight(math.NaN(), 0, 1, 1),
	} {
		if m := marks(t, follow(t, p)); len(m) > 0 && m[0].Matrix.Apply(geom.Point{}) != (geom.Point{}) {
			t.Errorf("%s: %v", name, m[0].Matrix)
		}
	}
}

func TestHostileValuesAreDrawnOrLeftOut(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300} {
		for match := range changes {
			x := compile(t, animators(animated(append(half(value("ADBE Text Range Shape", v), value("ADBE Text Selector Smoothness", v),
				value("ADBE Text Levels Max Ease", v)), wiggle(value("ADBE Text Temporal Freq", v), value("ADBE Text Spatial Phase", v))...),
				value(match, v, v, v, v))), group("ADBE Text More Options", value("ADBE Text Anchor Point Align", v, v)))
			for _, m := range marks(t, x) {
				if !m.Matrix.Finite() || !(m.Opacity > 0 && m.Opacity <= 1) || !(m.Blur.X >= 0 && m.Blur.X < 1e7) {
					t.Errorf("%s of %g: %+v", match, v, m)
				}
			}
		}
		marks(t, follow(t, circle(), value("ADBE Text First Margin", v), value("ADBE Text Last Margin", v)))
		marks(t, follow(t, straight(v, 0, 1, v)))
	}
}

func TestTheNumberOfPartsIsLimited(t *testing.T) {
	var list []*aep.Property
	for range maxParts + 500 {
		list = append(list, animated(nil, value("ADBE Text Position 3D", 1, 0)))
	}
	x := compile(t, animators(list...))
	if len(x.Lacks()) != 1 || len(x.animators) != maxParts {
		t.Errorf("%d animators, lacks %q", len(x.animators), x.Lacks())
	}
}

func BenchmarkMarks(b *testing.B) {
	l := words3()
	st := l.Glyphs[0]
	l.Glyphs = nil
	for i := range 2000 {
		g := st
		g.X, g.Char, g.Solid, g.Word = float64(i), i, i, i/5
		l.Glyphs = append(l.Glyphs, g)
	}
	l.Counts.Chars, l.Counts.Solids, l.Counts.Words = 2000, 2000, 400
	ramp := group("ADBE Text Range Advanced", value("ADBE Text Range Shape", shapeSmooth))
	x := compile(b, animators(
		animated([]*aep.Property{group("ADBE Text Selector", ramp)}, value("ADBE Text Position 3D", 5, 5), value("ADBE Text Opacity", 50)),
		animated([]*aep.Property{group("ADBE Text Selector", ramp)}, value("ADBE Text Rotation", 90), value("ADBE Text Fill Hue", 90)),
		animated(wiggle(), value("ADBE Text Scale 3D", 150, 150)),
	))
	e := &eval.Evaluator{}
	for b.Loop() {
		x.Marks(e, 1, l, nil)
	}
}
