package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// polarFromRect is the value of Polar Coordinates' popup "Type of Conversion" for bending rows to circles.
const polarFromRect = 1

// polar is Polar Coordinates: rows become circles around the centre, or circles rows.
type polar struct {
	wholeLayer
	amount, kind eval.Number
}

func newPolar(p Params) Effect {
	p.Lack("the seam")
	return &polar{amount: p.Number("0001", 0), kind: p.Number("0002", 2)}
}

func (e *polar) Draw(f *Frame, img *raster.Image) error {
	amount := f.Share(&e.amount)
	if amount == 0 {
		return nil
	}
	center, radius := f.Size.Scale(0.5), max(1, min(f.Size.X, f.Size.Y)/2)
	from := func(p geom.Point) geom.Point { // circles become rows
		way := heading(360 * p.X / f.Size.X)
		return center.Add(way.Scale(p.Y / f.Size.Y * radius))
	}
	if f.Choice(&e.kind) == polarFromRect {
		from = func(p geom.Point) geom.Point {
			d := p.Sub(center)
			turn := math.Atan2(d.X, -d.Y) / (2 * math.Pi)
			return geom.Point{X: (turn - math.Floor(turn)) * f.Size.X, Y: math.Sqrt(d.X*d.X+d.Y*d.Y) / radius * f.Size.Y}
		}
	}
	warp(f, img, edgeRepeat, func(p geom.Point) (geom.Point, bool) { return p.Lerp(from(p), amount), true })
	return nil
}
