package render_test

import (
	"testing"

	"overcrank/aep"
	"overcrank/engine/render"
)

// An even falloff makes of an edge a line that is as wide as the feather, half of it on either side.
func TestAFeatherThatFallsOffEvenlyIsALine(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 100, 40)
	b.layer(comp, b.solid("white", 100, 40, rgb(white)), func(l *aep.Layer) {
		masked(l, aep.MaskInfo{Mode: aep.MaskAdd, Linear: true}, square(-100, -100, 50, 200), value("ADBE Mask Feather", 41, 41))
	})
	img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
	for x := range 100 {
		want := 255 * max(0, min(1, 0.5-(float64(x)+0.5-50)/41))
		if got := float64(img.RGBAAt(x, 20).A); got < want-4 || got > want+4 {
			t.Errorf("alpha at %d is %v, want %v", x, got, want)
		}
	}
}

// TestFeatherPointsMakeEdgesOfTheirOwnWidths has a square whose left edge is sharp, and whose right one ends thirty pixels outside or inside of it.
func TestFeatherPointsMakeEdgesOfTheirOwnWidths(t *testing.T) {
	for name, c := range map[string]struct {
		radius    float64
		expansion float64
		edge      func(x float64) float64 // of the right edge, which lies at 100
	}{
		"outwards": {30, 0, func(x float64) float64 { return (130 - x) / 30 }},
		"inwards":  {-30, 0, func(x float64) float64 { return (100 - x) / 30 }},
		"expanded": {30, 10, func(x float64) float64 { return (140 - x) / 30 }},
	} {
		b := build(t)
		comp := b.comp("main", 200, 200)
		b.layer(comp, b.solid("white", 200, 200, rgb(white)), func(l *aep.Layer) {
			path := square(40, 20, 100, 180)
			path.Feather = []aep.FeatherPoint{{Segment: 1, At: 0, Radius: c.radius}, {Segment: 1, At: 1, Radius: c.radius}, {Segment: 3, At: 0}, {Segment: 3, At: 1}}
			masked(l, aep.MaskInfo{Mode: aep.MaskAdd, Linear: true}, path, value("ADBE Mask Offset", c.expansion))
		})
		img := oneFrame(t, b.renderer(comp, render.Options{}), 0)
		for x := range 200 {
			px := float64(x) + 0.5
			want := 255 * max(0, min(1, c.edge(px)))
			if px < 70 {
				want = 255 * max(0, min(1, px-39.5+c.expansion))
			}
			if got := float64(img.RGBAAt(x, 100).A); got < want-14 || got > want+14 {
				t.Errorf("%s: alpha at %d is %v, want %v", name, x, got, want)
			}
		}
	}
}

// TestManyFeatherPointsAreNoMoreWork has a file with as many as one may hold.
func TestManyFeatherPointsAreNoMoreWork(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 40, 40)
	b.layer(comp, b.solid("white", 40, 40, rgb(white)), func(l *aep.Layer) {
		path := square(10, 10, 30, 30)
		for range 500_000 {
			path.Feather = append(path.Feather, aep.FeatherPoint{Segment: 1 << 31, At: -1e300}, aep.FeatherPoint{Segment: 1, At: 0.5, Radius: 1e300})
		}
		path.Vertices = append(path.Vertices, make([]aep.Vertex, 200_000)...)
		masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, path)
	})
	oneFrame(t, b.renderer(comp, render.Options{}), 0)
}
