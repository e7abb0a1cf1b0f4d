package geom

import (
	"math"
	"testing"
)

func alike(a, b Vec) bool { return a.Sub(b).Len() < 1e-9 }

func TestTurnsGoFromAxisToAxis(t *testing.T) {
	x, y, z := Vec{X: 1}, Vec{Y: 1}, Vec{Z: 1}
	for name, c := range map[string]struct {
		turn     Space
		from, to Vec
	}{
		"x: y to z": {TurnX(90), y, z}, "y: z to x": {TurnY(90), z, x}, "z: x to y": {TurnZ(90), x, y},
	} {
		if got := c.turn.Apply(c.from); !alike(got, c.to) {
			t.Errorf("%s gives %v", name, got)
		}
	}
}

func TestFacingTurnsTheZAxis(t *testing.T) {
	for _, d := range []Vec{{Z: 1}, {Z: -1}, {X: 3, Z: 4}, {X: 1, Y: 2, Z: 3}, {X: -1, Y: -2, Z: -3}, {Y: 1}, {Y: -5}} {
		want := d
		want.X, want.Y, want.Z = d.X/d.Len(), d.Y/d.Len(), d.Z/d.Len()
		s := Facing(d)
		if got := s.Apply(Vec{Z: 1}); !alike(got, want) {
			t.Errorf("towards %v: %v, want %v", d, got, want)
		}
		if math.Abs(s.X.Y) > 1e-12 {
			t.Errorf("towards %v it rolls: x becomes %v", d, s.X)
		}
	}
	if Facing(Vec{}) != Here {
		t.Error("no direction turns")
	}
}

func TestInverseOfASpace(t *testing.T) {
	s := MoveBy(Vec{3, -7, 11}).Mul(TurnX(20)).Mul(TurnY(-50)).Mul(TurnZ(70)).Mul(Stretch(Vec{2, 0.5, -3}))
	back, ok := s.Invert()
	if !ok {
		t.Fatal("it has none")
	}
	for _, p := range []Vec{{}, {1, 2, 3}, {-100, 40, 7}} {
		if got := back.Apply(s.Apply(p)); !alike(got, p) {
			t.Errorf("%v comes back as %v", p, got)
		}
	}
	if _, ok := Stretch(Vec{1, 0, 1}).Invert(); ok {
		t.Error("what is flat has an inverse")
	}
}

func TestALensShowsNearThingsLarge(t *testing.T) {
	lens := Lens{Zoom: 1000, Center: Point{X: 960, Y: 540}}
	h := lens.See(MoveBy(Vec{Z: 1000}))
	if m, ok := h.Affine(Rect{MaxX: 1920, MaxY: 1080}); !ok || m != Translate(960, 540) {
		t.Errorf("at the distance of the zoom: %v, %v", m, ok)
	}
	h = lens.See(MoveBy(Vec{Z: 500}))
	if q, _ := h.Apply(Point{X: 10, Y: -20}); q != (Point{X: 980, Y: 500}) {
		t.Errorf("at half of it: %v", q)
	}
	h = lens.See(MoveBy(Vec{Z: -500}))
	if _, ok := h.Box(Rect{MaxX: 10, MaxY: 10}); ok {
		t.Error("what lies behind the viewer is seen")
	}
}

func TestAHomographyAndItsInverse(t *testing.T) {
	lens := Lens{Zoom: 800, Center: Point{X: 640, Y: 360}}
	h := lens.See(MoveBy(Vec{50, -20, 900}).Mul(TurnY(40)).Mul(TurnX(15)))
	back, ok := h.Invert()
	if !ok {
		t.Fatal("it has none")
	}
	for _, p := range []Point{{}, {100, 50}, {-200, 80}} {
		q, w := h.Apply(p)
		if w <= 0 {
			t.Fatalf("%v lies behind", p)
		}
		got, front := back.Apply(q)
		if got.Sub(p).Len() > 1e-6 || front <= 0 {
			t.Errorf("%v comes back as %v, %v", p, got, front)
		}
		m, ok := h.At(p)
		if at := m.Apply(p); !ok || at.Sub(q).Len() > 1e-9 {
			t.Errorf("about %v the matrix maps to %v, want %v", p, at, q)
		}
		step := Point{X: p.X + 1e-3, Y: p.Y}
		moved, _ := h.Apply(step)
		if got := m.Apply(step); got.Sub(moved).Len() > 1e-6 {
			t.Errorf("beside %v the matrix maps to %v, want %v", p, got, moved)
		}
	}
}

func TestAPlaneThatPassesTheViewerIsCutOff(t *testing.T) {
	lens := Lens{Zoom: 100, Center: Point{}}
	// A floor below the viewer, from far behind to far in front.
	floor := lens.See(MoveBy(Vec{Y: 10}).Mul(TurnX(90)))
	box, ok := floor.Box(Rect{MinX: -50, MinY: -500, MaxX: 50, MaxY: 500})
	if !ok || box.MinY < 0 || math.Abs(box.MinY-10*100/500.0) > 1e-6 {
		t.Errorf("its far edge is seen at %v, %v", box.MinY, ok)
	}
	if m := floor.Magnifies(Rect{MinX: -50, MinY: 100, MaxX: 50, MaxY: 500}); math.Abs(m-1) > 0.01 {
		t.Errorf("what is as far as the zoom is magnified %v times", m)
	}
}
