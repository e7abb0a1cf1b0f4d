package geom_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"overcrank/engine/geom"
)

func near(a, b geom.Point) bool { return a.Sub(b).Len() < 1e-6 }

func TestMatricesUndoAndFollowEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := func(name string) float64 { return rapid.Float64Range(-100, 100).Draw(t, name) }
		m := geom.Translate(f("x"), f("y")).Mul(geom.Rotate(f("turn"))).Mul(geom.Scale(f("w")/10+11, f("h")/10+11))
		p := geom.Point{X: f("px"), Y: f("py")}
		inv, ok := m.Invert()
		if !ok {
			t.Fatalf("%v can't be inverted", m)
		}
		if back := inv.Apply(m.Apply(p)); !near(back, p) {
			t.Fatalf("%v came back as %v", p, back)
		}
		if got, want := m.Mul(inv).Apply(p), m.Apply(inv.Apply(p)); !near(got, want) {
			t.Fatalf("product maps to %v, one after the other to %v", got, want)
		}
	})
}

func TestAFlatMatrixHasNoInverse(t *testing.T) {
	for _, m := range []geom.Matrix{geom.Scale(0, 1), {}, geom.Scale(math.NaN(), 1), geom.Scale(math.Inf(1), 1)} {
		if _, ok := m.Invert(); ok {
			t.Errorf("%v was inverted", m)
		}
	}
}

func TestShapesHaveTheirSizeAndPlace(t *testing.T) {
	want := geom.Rect{MinX: -20, MinY: 10, MaxX: 40, MaxY: 50}
	for name, o := range map[string]geom.Outline{
		"rectangle": geom.RectOutline(10, 30, 60, 40, 0), "rounded": geom.RectOutline(10, 30, 60, 40, 5),
		"too round": geom.RectOutline(10, 30, 60, 40, 500), "ellipse": geom.EllipseOutline(10, 30, 60, 40),
	} {
		if got := o.Bounds(); math.Abs(got.MinX-want.MinX)+math.Abs(got.MinY-want.MinY)+math.Abs(got.MaxX-want.MaxX)+math.Abs(got.MaxY-want.MaxY) > 1e-9 {
			t.Errorf("%s: bounds %v, want %v", name, got, want)
		}
	}
	star := geom.Star{Points: 5, InnerRadius: 10, OuterRadius: 30}.Outline()
	if len(star.Points) != 11 || !near(star.Points[0], geom.Point{Y: -30}) {
		t.Errorf("a star of five points has %d, the first at %v", len(star.Points), star.Points[0])
	}
	polygon := geom.Star{Polygon: true, Points: 4, OuterRadius: 30, Rotation: 90}.Outline()
	if len(polygon.Points) != 5 || !near(polygon.Points[0], geom.Point{X: 30}) {
		t.Errorf("a polygon of four points has %d, the first at %v", len(polygon.Points), polygon.Points[0])
	}
}

func TestFlattenedCurvesStayCloseToThem(t *testing.T) {
	const radius = 200
	for _, line := range geom.EllipseOutline(0, 0, 2*radius, 2*radius).Flatten(geom.Identity, 0.1) {
		for i, p := range line.Points {
			mid := p.Lerp(line.Points[(i+1)%len(line.Points)], 0.5)
			if d := math.Abs(mid.Len() - radius); d > 0.2 {
				t.Errorf("a chord strays %g from the circle", d)
			}
		}
	}
}

func TestTrimKeepsTheAskedLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Float64Range(0, 1).Draw(t, "start")
		length := rapid.Float64Range(0.001, 0.999).Draw(t, "length")
		o := geom.RectOutline(0, 0, 100, 60, 12)
		o.Append(geom.EllipseOutline(200, 0, 30, 30))
		got := o.Trim(start, start+length).Length()
		if want := length * o.Length(); math.Abs(got-want) > 0.01*o.Length() {
			t.Fatalf("trimmed to %g, want %g", got, want)
		}
	})
}

func TestReversedOutlinesEndWhereTheyBegan(t *testing.T) {
	o := geom.Outline{}
	o.Move(1, 2)
	o.Line(3, 4)
	o.Cubic(5, 5, 6, 6, 7, 8)
	r := o.Reverse()
	if !near(r.Points[0], geom.Point{X: 7, Y: 8}) || !near(r.Points[len(r.Points)-1], geom.Point{X: 1, Y: 2}) {
		t.Errorf("reversed: %v", r.Points)
	}
	if back := r.Reverse(); len(back.Points) != len(o.Points) || back.Points[2] != o.Points[2] {
		t.Errorf("twice reversed: %v", back.Points)
	}
}

func TestPointsAreSpreadEvenlyAlongALine(t *testing.T) {
	corner := geom.Polyline{Points: []geom.Point{{0, 0}, {6, 0}, {6, 0}, {6, 3}}}
	at, ways := corner.Spread(4)
	if want := []geom.Point{{0, 0}, {3, 0}, {6, 0}, {6, 3}}; !slices.Equal(at, want) || ways[1] != (geom.Point{1, 0}) || ways[3] != (geom.Point{0, 1}) {
		t.Errorf("an open line: %v, directions %v", at, ways)
	}
	square := geom.Polyline{Closed: true, Points: []geom.Point{{0, 0}, {4, 0}, {4, 4}, {0, 4}}}
	if at, _ := square.Spread(4); !slices.Equal(at, square.Points) {
		t.Errorf("a closed line: %v", at)
	}
	if at, ways := (geom.Polyline{Points: []geom.Point{{1, 2}}}).Spread(2); !slices.Equal(at, []geom.Point{{1, 2}, {1, 2}}) || ways[1] != (geom.Point{}) {
		t.Errorf("a point: %v, directions %v", at, ways)
	}
}
