package render

import (
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// rampRadial is the value of Gradient Ramp's popup "Ramp Shape" for a radial ramp.
const rampRadial = 2

// rampEffect is Gradient Ramp: colours between two points, with the transparency of the layer. Its scatter, noise
// against banding, is not drawn.
var rampEffect = effect{
	apply: func(p params, img *raster.Image) {
		inv, ok := p.v.m.Invert()
		if !ok {
			return
		}
		x0, y0 := p.w.pair(p.v, p.group, "ADBE Ramp-0001", 0, 0)
		x1, y1 := p.w.pair(p.v, p.group, "ADBE Ramp-0003", 0, 0)
		r := ramp{
			start: geom.Point{X: x0, Y: y0}, way: geom.Point{X: x1 - x0, Y: y1 - y0}, radial: p.number("ADBE Ramp-0005", 1) == rampRadial,
			from: p.color("ADBE Ramp-0002", [4]float64{0, 0, 0, 1}), to: p.color("ADBE Ramp-0004", [4]float64{1, 1, 1, 1}),
			keep: p.share("ADBE Ramp-0007", 0),
		}
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
			for i := 0; i < len(row); i += 4 {
				if row[i+3] != 0 {
					r.paint(row[i:i+4], inv.Apply(geom.Point{X: float64(img.Rect.Min.X+i/4) + 0.5, Y: float64(y) + 0.5}))
				}
			}
		}
	},
}

// ramp is a Gradient Ramp in pixels of the layer.
type ramp struct {
	start, way geom.Point
	radial     bool
	from, to   [4]float64
	keep       float64 // fraction of the original colour
}

// paint sets the colour of the premultiplied pixel at a position of the layer.
func (r *ramp) paint(px []uint8, at geom.Point) {
	d := at.Sub(r.start)
	length := r.way.X*r.way.X + r.way.Y*r.way.Y
	k := 1.0
	switch {
	case length == 0:
	case r.radial:
		k = math.Sqrt((d.X*d.X + d.Y*d.Y) / length)
	default:
		k = (d.X*r.way.X + d.Y*r.way.Y) / length
	}
	k = max(0, min(1, k))
	a := float64(px[3])
	for c := range 3 {
		v := (r.from[c] + (r.to[c]-r.from[c])*k) * a
		px[c] = channel(v+(float64(px[c])-v)*r.keep, a)
	}
}
