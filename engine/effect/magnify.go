package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// magnifySquare is the value of Magnify's popup "Shape" for a square.
const magnifySquare = 2

// magnify shows a part of the layer larger.
type magnify struct {
	wholeLayer
	shape, factor, size, feather, opacity eval.Number
	center                                eval.Vector
}

func newMagnify(p Params) Effect {
	for number, usual := range map[string]float64{"0011": 1, "0012": 2, "0008": 1, "0009": 0} {
		p.Unless(number, usual, "the link, the scaling, the blending mode or the resizing")
	}
	return &magnify{
		shape: p.Number("0010", 1), center: p.Point("0001"), factor: p.Number("0003", 150), size: p.Number("0002", 100),
		feather: p.Number("0004", 0), opacity: p.Number("0005", 100),
	}
}

func (e *magnify) Draw(f *Frame, img *raster.Image) error {
	center, size := f.PointOr(&e.center, 0.5, 0.5), f.Number(&e.size)
	factor, square := max(0.01, f.Number(&e.factor)/100), f.Choice(&e.shape) == magnifySquare
	soft := max(hairline(f), f.Number(&e.feather))
	larger, release := copied(f, img)
	defer release()
	warp(f, larger, edgeNothing, func(p geom.Point) (geom.Point, bool) {
		return center.Add(p.Sub(center).Scale(1 / factor)), true
	})
	opacity := completion(f, &e.opacity)
	reveal(f, larger, func(p geom.Point) float64 {
		d := p.Sub(center)
		far := math.Sqrt(d.X*d.X + d.Y*d.Y)
		if square {
			far = max(math.Abs(d.X), math.Abs(d.Y))
		}
		return opacity * unit(0.5+(size-far)/soft)
	})
	raster.Composite(img, larger, 1, raster.Normal)
	return nil
}
