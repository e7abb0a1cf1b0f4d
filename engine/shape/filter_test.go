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
	c := filled(contents...)
	paints := c.Paints(nil, 0)
	if len(paints) != 1 || len(c.Lacks()) != 0 {
		t.Fatalf("%d paints, and %q is not drawn", len(paints), c.Lacks())
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
	o := outline(t, square(), many, many, many)
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

func TestCopiesOfOffsetPathsAreALack(t *testing.T) {
	c := filled(square(), group("ADBE Vector Filter - Offset", value("ADBE Vector Offset Copies", 3)))
	if want := []string{"the copies of 'ADBE Vector Filter - Offset'"}; !slices.Equal(c.Lacks(), want) {
		t.Errorf("got %q", c.Lacks())
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
		if n := len(outline(t, contents...).Verbs); n == 0 || n > 400000 {
			t.Errorf("%d steps", n)
		}
	}
}
