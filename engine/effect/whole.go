package effect

import (
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// wholeLayer is Moving for effects that may paint anywhere in the layer, also where it has nothing.
type wholeLayer struct{}

// Bounds implements Moving.
func (wholeLayer) Bounds(f *Frame, box geom.Rect) geom.Rect {
	return box.Union(layerRect(f).Transform(f.Matrix))
}

// stripes is the share, of a window of the given width around v, that is covered by stripes which begin at each multiple of period.
func stripes(v, period, stripe, window float64) float64 {
	covered := func(v float64) float64 {
		n := math.Floor(v / period)
		return n*stripe + min(stripe, v-n*period)
	}
	return (covered(v+window/2) - covered(v-window/2)) / window
}

// cover paints one colour over the layer's rectangle of img, which is empty, where of says, from 0 to 1.
func cover(f *Frame, img *raster.Image, color [4]float64, of func(p geom.Point) float64) {
	var shades [256]raster.Color
	for a := range shades {
		shades[a] = raster.Premultiply([4]float64{color[0], color[1], color[2], float64(a) / 255})
	}
	paintEach(f, img, func(x, y float64, px []uint8) {
		if x >= 0 && y >= 0 && x <= f.Size.X && y <= f.Size.Y {
			copy(px, shades[int(unit(of(geom.Point{X: x, Y: y}))*255+0.5)][:])
		}
	})
}
