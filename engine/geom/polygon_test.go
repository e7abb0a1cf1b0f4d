package geom_test

import (
	"math"
	"testing"

	"overcrank/engine/geom"
)

func area(p []geom.Point) (sum float64) {
	for i, a := range p {
		b := p[(i+1)%len(p)]
		sum += (a.X*b.Y - a.Y*b.X) / 2
	}
	return math.Abs(sum)
}

func TestPolygonsOverlapInTheAreaThatTheyShare(t *testing.T) {
	square := []geom.Point{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 10, Y: 10}, {X: 0, Y: 10}}
	back := []geom.Point{square[3], square[2], square[1], square[0]}
	diamond := []geom.Point{{X: 5, Y: -5}, {X: 15, Y: 5}, {X: 5, Y: 15}, {X: -5, Y: 5}}
	for name, c := range map[string]struct {
		a, b []geom.Point
		want float64
	}{
		"the same":             {square, square, 100},
		"turned the other way": {square, back, 100},
		"a corner":             {square, []geom.Point{{X: 7, Y: 6}, {X: 20, Y: 6}, {X: 20, Y: 20}, {X: 7, Y: 20}}, 12},
		"within":               {diamond, square, 100},
		"a triangle":           {back, []geom.Point{{X: 0, Y: 0}, {X: 20, Y: 0}, {X: 0, Y: 20}}, 100},
		"half a triangle":      {back, []geom.Point{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 0, Y: 10}}, 50},
		"apart":                {square, []geom.Point{{X: 11, Y: 0}, {X: 12, Y: 0}, {X: 12, Y: 5}}, 0},
	} {
		if got := area(geom.Overlap(c.a, c.b)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: an area of %v, want %v", name, got, c.want)
		}
		if got := area(geom.Overlap(c.b, c.a)); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s, the other way: an area of %v, want %v", name, got, c.want)
		}
	}
}

func TestNearnessIsOneByTheDistance(t *testing.T) {
	lens := geom.Lens{Zoom: 200, Center: geom.Point{X: 50, Y: 40}}
	place := geom.MoveBy(geom.Vec{X: 3, Y: -7, Z: 300}).Mul(geom.TurnX(20)).Mul(geom.TurnY(35))
	h := lens.See(place)
	near, ok := h.Nearness()
	if !ok {
		t.Fatal("the plane is not seen")
	}
	for _, p := range []geom.Point{{}, {X: 30}, {Y: -60}, {X: -45, Y: 80}} {
		at, _ := h.Apply(p)
		want := 200 / place.Apply(geom.Vec{X: p.X, Y: p.Y}).Z
		if got := near.At(at); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v is %v near, want %v", p, got, want)
		}
	}
}
