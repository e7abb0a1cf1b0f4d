package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// vibrance is Vibrance. Adobe does not publish its formula; here, as is usual, the less saturated a colour is, the more its distance to grey
// is multiplied.
type vibrance struct{ vibrance, saturation eval.Number }

func newVibrance(p Params) Effect {
	p.Lack("the exact response")
	return &vibrance{p.Number("0001", 0), p.Number("0002", 0)}
}

func (e *vibrance) Draw(f *Frame, img *raster.Image) error {
	v, s := f.Number(&e.vibrance)/100, f.Number(&e.saturation)/100
	recolor(img, func(c [3]float64) [3]float64 { return vivid(c, v, s) })
	return nil
}

// vivid multiplies the distance of c to grey by 1+s, and by 1+v for a colour that is almost grey.
func vivid(c [3]float64, v, s float64) [3]float64 {
	grey := luma(c)
	share := max(c[0], c[1], c[2]) - min(c[0], c[1], c[2])
	return towards([3]float64{grey, grey, grey}, c, max(0, 1+v*(1-share))*max(0, 1+s))
}
