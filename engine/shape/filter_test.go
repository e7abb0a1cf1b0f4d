package shape_test

import (
	"math"
	"slices"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/shape"
)

func group(match string, children ...*aep.Property) *aep.Property {
	return &aep.Property{Match: match, Group: true, Enabled: true, Children: children}
}

func value(match string, v ...float64) *aep.Property {
	return &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v)}
}

// filled compiles the contents of a shape layer, with a fill at the end.
func filled(contents ...*aep.Property) *shape.Contents {
	root := group("ADBE Root Vectors Group", append(contents, group("ADBE Vector Graphic - Fill"))...)
	return shape.Compile(eval.Ref{Prop: root})
}

// outline is the outline of the only paint of contents.
func outline(t *testing.T, contents ...*aep.Property) geom.Outline {
	t.Helper()
	return drawn(t, nil, contents)
}

// limited is outline for contents of which operators make less than they say, which is noted.
func limited(t *testing.T, contents ...*aep.Property) geom.Outline {
	t.Helper()
	return drawn(t, []string{"what shape operators make beyond their limits"}, contents)
}

func drawn(t *testing.T, lacks []string, contents []*aep.Property) geom.Outline {
	t.Helper()
	c := filled(contents...)
	paints, _ := c.Paints(nil, 0)
	if len(paints) != 1 || !slices.Equal(c.Lacks(), lacks) {
		t.Fatalf("%d paints, and %q is not drawn, want %q", len(paints), c.Lacks(), lacks)
	}
	return paints[0].Shape.Outline.Transform(paints[0].Matrix)
}

// square is a rectangle of 100 by 100 around the origin.
func square() *aep.Property { return group("ADBE Vector Shape - Rect") }

// line is an open path from (0, 0) to (30, 0).
func line() *aep.Property {
	return group("ADBE Vector Shape - Group", &aep.Property{Match: "ADBE Vector Shape", Enabled: true,
		Value: &aep.Path{Vertices: []aep.Vertex{{}, {X: 30}}}})
}

func TestMoreDashesThanAreDrawnAreTold(t *testing.T) {
	for length, many := range map[float64]bool{0.01: false, 0.0099: true} { // 400 pixels of dashes and gaps, of the same length
		dashes := group("ADBE Vector Stroke Dashes", value("ADBE Vector Stroke Dash 1", length))
		c := filled(square(), group("ADBE Vector Graphic - Stroke", dashes))
		if got := len(c.Lacks()) > 0; got != many {
			t.Errorf("dashes of %g: %q is not drawn", length, c.Lacks())
		}
	}
}

func TestRoundCornersTakeQuartersOfCircles(t *testing.T) {
	for radius, want := range map[float64]float64{
		0: 1e4, 10: 1e4 - (4-math.Pi)*100, 25: 1e4 - (4-math.Pi)*625,
		50: math.Pi * 2500, 80: math.Pi * 2500, // no further than half of a side
		-5: 1e4, math.NaN(): 1e4,
	} {
		got := outline(t, square(), group("ADBE Vector Filter - RC", value("ADBE Vector RoundCorner Radius", radius))).Area()
		if math.Abs(got-want) > 3e-3*want {
			t.Errorf("a radius of %g leaves an area of %g, want %g", radius, got, want)
		}
	}
}

func TestRoundCornersLeaveCurvesAndEnds(t *testing.T) {
	corners := group("ADBE Vector Filter - RC", value("ADBE Vector RoundCorner Radius", 5))
	if got, want := outline(t, group("ADBE Vector Shape - Ellipse"), corners).Area(), outline(t, group("ADBE Vector Shape - Ellipse")).Area(); got != want {
		t.Errorf("an ellipse of %g becomes %g", want, got)
	}
	if got := outline(t, line(), corners).Bounds(); got != (geom.Rect{MaxX: 30}) {
		t.Errorf("a line becomes %+v", got)
	}
}

// A group's scale comes after its own paths, and before the operators outside of it.
func TestOperatorsWorkInTheSpaceOfTheirGroup(t *testing.T) {
	scaled := group("ADBE Vector Group", group("ADBE Vectors Group", square()),
		group("ADBE Vector Transform Group", value("ADBE Vector Scale", 200, 50)))
	got := outline(t, scaled, group("ADBE Vector Filter - RC", value("ADBE Vector RoundCorner Radius", 10))).Area()
	if want := 1e4 - (4-math.Pi)*100; math.Abs(got-want) > 3e-3*want {
		t.Errorf("the area is %g, want %g", got, want)
	}
}

func TestPuckerAndBloatMovePointsAndCurvesApart(t *testing.T) {
	for _, c := range []struct {
		amount float64
		want   geom.Knot // the top right corner, of (50, -50)
	}{
		{50, geom.Knot{In: geom.Point{X: 75, Y: -75}, At: geom.Point{X: 25, Y: -25}, Out: geom.Point{X: 75, Y: -75}}},
		{-50, geom.Knot{In: geom.Point{X: 25, Y: -25}, At: geom.Point{X: 75, Y: -75}, Out: geom.Point{X: 25, Y: -25}}},
		{0, geom.Knot{In: geom.Point{X: 50, Y: -50}, At: geom.Point{X: 50, Y: -50}, Out: geom.Point{X: 50, Y: -50}}},
	} {
		o := outline(t, square(), group("ADBE Vector Filter - PB", value("ADBE Vector PuckerBloat Amount", c.amount)))
		cs := o.Contours()
		if len(cs) != 1 || len(cs[0].Knots) != 4 || !cs[0].Closed || cs[0].Knots[0] != c.want {
			t.Errorf("%g: got %+v, want a knot %+v", c.amount, cs, c.want)
		}
	}
}

func TestZigZagRidgesLieOnBothSidesInTurn(t *testing.T) {
	ridges := group("ADBE Vector Filter - Zigzag", value("ADBE Vector Zigzag Size", 4), value("ADBE Vector Zigzag Detail", 2))
	cs := outline(t, line(), ridges).Contours()
	if len(cs) != 1 || cs[0].Closed || len(cs[0].Knots) != 4 {
		t.Fatalf("got %+v", cs)
	}
	for i, k := range cs[0].Knots {
		want := geom.Point{X: 10 * float64(i), Y: 4 - 8*float64(i%2)}
		if k.At.Sub(want).Len() > 1e-9 || !k.Corner() {
			t.Errorf("ridge %d is %+v, want a corner at %v", i, k, want)
		}
	}
	ridges.Children = append(ridges.Children, value("ADBE Vector Zigzag Points", 2))
	for i, k := range outline(t, line(), ridges).Contours()[0].Knots {
		// A sixth of the segment: half of the way between two ridges.
		if k.Out.Sub(k.At).Sub(geom.Point{X: 5}).Len() > 1e-9 && i < 3 || k.At.Sub(k.In).Sub(geom.Point{X: 5}).Len() > 1e-9 && i > 0 {
			t.Errorf("ridge %d is %+v", i, k)
		}
	}
}

func TestZigZagOfAClosedPathEndsWhereItBegins(t *testing.T) {
	for ridges, want := range map[float64]int{1: 8, 2: 12, 0: 4, -3: 4, math.NaN(): 4} {
		cs := outline(t, square(), group("ADBE Vector Filter - Zigzag", value("ADBE Vector Zigzag Detail", ridges))).Contours()
		if len(cs) != 1 || !cs[0].Closed || len(cs[0].Knots) != want {
			t.Errorf("%g ridges: %d contours of %d knots, want %d", ridges, len(cs), len(cs[0].Knots), want)
		}
	}
}

func TestOperatorsMakeNoMoreThanTheirLimit(t *testing.T) {
	many := group("ADBE Vector Filter - Zigzag", value("ADBE Vector Zigzag Detail", 1e9))
	o := limited(t, square(), many, many, many)
	if n := len(o.Verbs); n > 100000 {
		t.Errorf("%d steps", n)
	}
}

func TestOffsetPathsMakeShapesWiderAndHolesNarrower(t *testing.T) {
	offset := func(amount, join float64) *aep.Property {
		return group("ADBE Vector Filter - Offset", value("ADBE Vector Offset Amount", amount), value("ADBE Vector Offset Line Join", join))
	}
	backwards := group("ADBE Vector Shape - Rect", value("ADBE Vector Shape Direction", 3))
	hole := group("ADBE Vector Shape - Rect", value("ADBE Vector Rect Size", 40, 40), value("ADBE Vector Shape Direction", 3))
	for _, c := range []struct {
		name     string
		contents []*aep.Property
		want     float64
	}{
		{"mitred", []*aep.Property{square(), offset(10, 1)}, 14400},
		{"round", []*aep.Property{square(), offset(10, 2)}, 14000 + math.Pi*100},
		{"bevelled", []*aep.Property{square(), offset(10, 3)}, 14200},
		{"narrower", []*aep.Property{square(), offset(-10, 1)}, 6400},
		{"not at all", []*aep.Property{square(), offset(0, 1)}, 10000},
		{"backwards", []*aep.Property{backwards, offset(10, 1)}, 14400},
		{"with a hole", []*aep.Property{square(), hole, group("ADBE Vector Filter - Merge", value("ADBE Vector Merge Type", 1)), offset(10, 1)}, 14400 - 400},
	} {
		if got := math.Abs(outline(t, c.contents...).Area()); math.Abs(got-c.want) > 2e-3*c.want {
			t.Errorf("%s: the area is %g, want %g", c.name, got, c.want)
		}
	}
}

// A square with its round offsets by 10, 20 and 30.
func TestCopiesOfOffsetPathsLieAroundEachOther(t *testing.T) {
	o := outline(t, square(), group("ADBE Vector Filter - Offset", value("ADBE Vector Offset Copies", 3), value("ADBE Vector Offset Line Join", 2)))
	contours := o.Contours()
	if len(contours) != 3 {
		t.Fatalf("%d contours, want 3", len(contours))
	}
	for i, c := range contours {
		var one geom.Outline
		one.Add(c)
		by := float64(10 * (i + 1))
		if got, want := one.Area(), 1e4+400*by+math.Pi*by*by; math.Abs(got-want) > 3e-3*want {
			t.Errorf("copy %d has an area of %g, want %g", i, got, want)
		}
	}
}

// nearly is the outline of contents of which a part is drawn in After Effects' likeness.
func nearly(t *testing.T, at float64, contents ...*aep.Property) geom.Outline {
	t.Helper()
	c := filled(contents...)
	paints, _ := c.Paints(&eval.Evaluator{}, at)
	if len(paints) != 1 || len(c.Lacks()) != 0 || len(c.Nearly()) == 0 {
		t.Fatalf("%d paints, %q is not drawn, %q nearly", len(paints), c.Lacks(), c.Nearly())
	}
	return paints[0].Shape.Outline.Transform(paints[0].Matrix)
}

// Points turn by an angle in proportion to how near they are: the farthest stay, and each keeps its distance.
func TestTwistTurnsTheMiddleMost(t *testing.T) {
	path := group("ADBE Vector Shape - Group", &aep.Property{Match: "ADBE Vector Shape", Enabled: true,
		Value: &aep.Path{Vertices: []aep.Vertex{{X: -100}, {X: 100}}}})
	o := nearly(t, 0, path, group("ADBE Vector Filter - Twist", value("ADBE Vector Twist Angle", 80)))
	knots := o.Contours()[0].Knots
	if len(knots) != 9 {
		t.Fatalf("%d knots", len(knots))
	}
	for i, k := range knots {
		x := -100 + 25*float64(i)
		want := geom.Rotate(80 * (1 - math.Abs(x)/100)).Apply(geom.Point{X: x})
		if k.At.Sub(want).Len() > 1e-9 {
			t.Errorf("the point at %g comes to %v, want %v", x, k.At, want)
		}
	}
	if o := nearly(t, 0, path, group("ADBE Vector Filter - Twist", value("ADBE Vector Twist Angle", math.NaN()))); o.Bounds().MinX != -100 {
		t.Errorf("an angle that is not a number makes %v", o)
	}
}

func wiggled(more ...*aep.Property) *aep.Property {
	return group("ADBE Vector Filter - Roughen", append(more, value("ADBE Vector Roughen Size", 8), value("ADBE Vector Roughen Detail", 5))...)
}

func TestWigglePathsMovesPointsByAtMostTheSize(t *testing.T) {
	before := nearly(t, 0, square(), group("ADBE Vector Filter - Roughen", value("ADBE Vector Roughen Size", 0), value("ADBE Vector Roughen Detail", 5))).Contours()[0].Knots
	moved, most := 0, 0.0
	for at := 0.0; at < 5; at += 0.1 {
		after := nearly(t, at, square(), wiggled()).Contours()[0].Knots
		if len(after) != 24 || len(before) != 24 {
			t.Fatalf("%d knots, and %d before", len(after), len(before))
		}
		for i := range after {
			d := after[i].At.Sub(before[i].At)
			if most = max(most, math.Abs(d.X), math.Abs(d.Y)); d.Len() > 0.1 {
				moved++
			}
		}
	}
	if most > 8 || most < 4 || moved < 1000 {
		t.Errorf("points move by at most %g, want up to 8; %d of 1200 moved", most, moved)
	}
}

// At once everything moves alike if it correlates wholly, steadily in time, and otherwise with another seed.
func TestWiggling(t *testing.T) {
	whole := nearly(t, 0.3, square(), wiggled(value("ADBE Vector Correlation", 100))).Bounds()
	if w, h := whole.MaxX-whole.MinX, whole.MaxY-whole.MinY; math.Abs(w-100) > 1e-9 || math.Abs(h-100) > 1e-9 {
		t.Errorf("what correlates wholly is %g by %g", w, h)
	}
	a, b := nearly(t, 0.3, square(), wiggled()).Points, nearly(t, 0.301, square(), wiggled()).Points
	other := nearly(t, 0.3, square(), wiggled(value("ADBE Vector Random Seed", 1))).Points
	for i := range a {
		if step := a[i].Sub(b[i]).Len(); step > 0.2 {
			t.Fatalf("point %d jumps by %g in a thousandth of a second", i, step)
		}
	}
	if slices.Equal(a, other) {
		t.Error("the seed changes nothing")
	}
	if c := filled(square(), wiggled(value("ADBE Vector Temporal Freq", 0))); c.Timed() || !filled(square(), wiggled()).Timed() {
		t.Error("only what wiggles over time depends on it")
	}
	smooth := nearly(t, 0, square(), wiggled(value("ADBE Vector Roughen Points", 2))).Contours()[0].Knots
	for _, k := range smooth {
		in, out := k.At.Sub(k.In), k.Out.Sub(k.At)
		if math.Abs(in.X*out.Y-in.Y*out.X) > 1e-6*in.Len()*out.Len() {
			t.Fatalf("the curve has a corner at %v", k.At)
		}
	}
}

func TestWiggleTransformKeepsTheShape(t *testing.T) {
	turned := 0
	for at := 0.0; at < 5; at += 0.1 {
		o := nearly(t, at, square(), group("ADBE Vector Filter - Wiggler", group("ADBE Vector Wiggler Transform",
			value("ADBE Vector Wiggler Position", 20, 0), value("ADBE Vector Wiggler Rotation", 45))))
		if math.Abs(o.Area()-1e4) > 1e-6 {
			t.Fatalf("the area is %g", o.Area())
		}
		box := o.Bounds()
		if x := (box.MinX + box.MaxX) / 2; math.Abs(x) > 20 {
			t.Errorf("it moved by %g, at most 20 was allowed", x)
		}
		if box.MaxX-box.MinX > 101 {
			turned++
		}
	}
	if turned < 25 {
		t.Errorf("it is turned in %d of 50 moments", turned)
	}
}

// A bevel makes two corners of one, and each operator works on what those before it made.
func TestOffsetsOfOffsetsMakeNoMoreThanTheirLimit(t *testing.T) {
	contents := []*aep.Property{square()}
	for range 60 {
		contents = append(contents, group("ADBE Vector Filter - Offset", value("ADBE Vector Offset Amount", 1), value("ADBE Vector Offset Line Join", 3)))
	}
	if n := len(outline(t, contents...).Verbs); n > 200000 {
		t.Errorf("%d steps", n)
	}
}

func TestRepeatersOfLongPathsMakeNoMoreThanTheirLimit(t *testing.T) {
	teeth := group("ADBE Vector Filter - Zigzag", value("ADBE Vector Zigzag Detail", 1e9))
	copies := group("ADBE Vector Filter - Repeater", value("ADBE Vector Repeater Copies", 1e9))
	for _, contents := range [][]*aep.Property{{square(), teeth, teeth, copies, copies}, {square(), copies, copies, copies}} {
		if n := len(limited(t, contents...).Verbs); n == 0 || n > 400000 {
			t.Errorf("%d steps", n)
		}
	}
}
