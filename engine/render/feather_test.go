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
