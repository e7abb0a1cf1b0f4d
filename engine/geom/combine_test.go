package geom_test

import (
	"math"
	"slices"
	"testing"

	"overcrank/engine/geom"
)

func TestCombinedShapesHaveTheAreaThatGeometryTells(t *testing.T) {
	square := func(x, y, size float64) geom.Outline { return geom.RectOutline(x, y, size, size, 0) }
	var two geom.Outline
	two.Append(square(-30, 0, 20))
	two.Append(square(30, 0, 20))
	quarter := math.Pi / 4 * 50 * 50
	for _, c := range []struct {
		name                                       string
		shapes                                     []geom.Outline
		union, intersection, difference, exclusion float64
	}{
		{"overlapping", []geom.Outline{square(0, 0, 100), square(50, 50, 100)}, 17500, 2500, 7500, 15000},
		{"apart", []geom.Outline{square(0, 0, 10), square(50, 0, 10)}, 200, 0, 100, 200},
		{"one within the other", []geom.Outline{square(0, 0, 100), square(10, 0, 20)}, 10000, 400, 9600, 9600},
		{"the same", []geom.Outline{square(0, 0, 100), square(0, 0, 100)}, 10000, 10000, 0, 0},
		{"the same the other way round", []geom.Outline{square(0, 0, 100), square(0, 0, 100).Reverse()}, 10000, 10000, 0, 0},
		{"side by side", []geom.Outline{square(0, 0, 100), square(100, 0, 100)}, 20000, 0, 10000, 20000},
		{"with a common side", []geom.Outline{square(0, 0, 100), square(25, 0, 50)}, 10000, 2500, 7500, 7500},
		{"touching at a corner", []geom.Outline{square(0, 0, 100), square(100, 100, 100)}, 20000, 0, 10000, 20000},
		{"a cross", []geom.Outline{geom.RectOutline(0, 0, 100, 20, 0), geom.RectOutline(0, 0, 20, 100, 0)}, 3600, 400, 1600, 3200},
		{"turned", []geom.Outline{square(0, 0, 100), square(0, 0, 100).Transform(geom.Rotate(45))},
			2e4 - 8e4*(math.Sqrt2-1)/4, 8e4 * (math.Sqrt2 - 1) / 4, 1e4 - 8e4*(math.Sqrt2-1)/4, 2e4 - 2*8e4*(math.Sqrt2-1)/4},
		{"a circle", []geom.Outline{square(0, 0, 100), geom.EllipseOutline(50, 50, 100, 100)}, 1e4 + 3*quarter, quarter, 1e4 - quarter, 1e4 + 2*quarter},
		{"of two parts", []geom.Outline{geom.RectOutline(0, 0, 60, 10, 0), two}, 600 + 800 - 200, 200, 400, 1000},
		{"three", []geom.Outline{square(0, 0, 100), square(0, 0, 60), square(0, 0, 20)}, 10000, 400, 6400, 10000 - 3600 + 400},
		{"one alone", []geom.Outline{square(0, 0, 100)}, 10000, 10000, 10000, 10000},
		{"none", nil, 0, 0, 0, 0},
	} {
		count := func(in []bool) (n int) {
			for _, one := range in {
				if one {
					n++
				}
			}
			return n
		}
		for name, way := range map[string]struct {
			inside func(in []bool) bool
			want   float64
		}{
			"union":        {func(in []bool) bool { return count(in) > 0 }, c.union},
			"intersection": {func(in []bool) bool { return len(in) > 0 && !slices.Contains(in, false) }, c.intersection},
			"difference":   {func(in []bool) bool { return len(in) > 0 && in[0] && count(in) == 1 }, c.difference},
			"exclusion":    {func(in []bool) bool { return count(in)%2 == 1 }, c.exclusion},
		} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				got, ok := geom.Combine(c.shapes, way.inside)
				if !ok || math.Abs(got.Area()-way.want) > 1e-3*way.want+0.5 {
					t.Errorf("the area is %g (%v), want %g", got.Area(), ok, way.want)
				}
			})
		}
	}
}

func TestACombinationHasOnlyTheCornersThatItNeeds(t *testing.T) {
	got, _ := geom.Combine([]geom.Outline{geom.RectOutline(0, 0, 100, 100, 0), geom.RectOutline(50, 0, 100, 100, 0)},
		func(in []bool) bool { return in[0] || in[1] })
	if cs := got.Contours(); len(cs) != 1 || len(cs[0].Knots) != 4 {
		t.Errorf("got %+v", cs)
	}
}

func TestTooMuchIsNotCombined(t *testing.T) {
	many := geom.Star{Points: 2000, InnerRadius: 50, OuterRadius: 100}.Outline()
	var comb geom.Outline // 200 lines there and back, which cross all those of another one
	for i := range 200 {
		comb.Append(geom.RectOutline(float64(i), 0, 0.5, 1000, 0))
	}
	for name, shapes := range map[string][]geom.Outline{
		"many lines": {many, many}, "many cuts": {comb, comb.Transform(geom.Rotate(90))},
	} {
		if _, ok := geom.Combine(shapes, func(in []bool) bool { return in[0] }); ok {
			t.Errorf("%s were combined", name)
		}
	}
}

// Lines that go on almost straight are those of a curve.
func TestCombinedShapesKeepSlightCurves(t *testing.T) {
	var bent geom.Outline
	bent.Move(0, 0)
	bent.Cubic(700, -4, 1300, -4, 2000, 0)
	bent.Line(2000, 100)
	bent.Line(0, 100)
	bent.Close()
	got, ok := geom.Combine([]geom.Outline{bent, geom.RectOutline(1000, 50, 20, 20, 0)}, func(in []bool) bool { return in[0] || in[1] })
	if !ok || math.Abs(got.Area()-bent.Area()) > 50 {
		t.Errorf("an area of %g becomes %g", bent.Area(), got.Area())
	}
}

func TestShapesOfManyCurvesAreNotCombined(t *testing.T) {
	var many geom.Outline
	many.Move(0, 0)
	for range 10000 {
		many.Cubic(1e6, 0, 1e6, 1e6, 0, 1e6)
	}
	if _, ok := geom.Combine([]geom.Outline{many}, func(in []bool) bool { return in[0] }); ok {
		t.Error("they were")
	}
}
