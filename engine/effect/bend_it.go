package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// bendIt is CC Bend It: a strip of the layer is bent like a stick that is held at its start.
type bendIt struct {
	bend       eval.Number
	start, end eval.Vector
}

func newBendIt(p Params) Effect {
	p.Lack("the exact curve")
	for number, usual := range map[string]float64{"0004": 3, "0005": 1} {
		p.Unless(number, usual, "the start of the bend")
	}
	return &bendIt{p.Number("0001", 0), p.Point("0002"), p.Point("0003")}
}

// Bounds implements Moving.
func (e *bendIt) Bounds(f *Frame, box geom.Rect) geom.Rect {
	return box.Union(layerRect(f).Transform(f.Matrix)).Grow(f.PointOr(&e.start, 0.5, 0.75).Sub(f.PointOr(&e.end, 0.5, 0.25)).Len() * f.Scale())
}

// Draw bends the line from start to end to an arc of the same length; what lies beside it stays at its distance.
func (e *bendIt) Draw(f *Frame, img *raster.Image) error {
	start, end := f.PointOr(&e.start, 0.5, 0.75), f.PointOr(&e.end, 0.5, 0.25)
	way := end.Sub(start)
	length := way.Len()
	// 100 bends the stick by a right angle.
	angle := max(-400, min(400, f.Number(&e.bend))) / 100 * math.Pi / 2
	if length == 0 || angle == 0 {
		return nil
	}
	along := way.Scale(1 / length)
	side := geom.Point{X: -along.Y, Y: along.X}
	radius := length / angle // the centre lies at side times it
	sign := math.Copysign(1, radius)
	warp(f, img, edgeNothing, func(p geom.Point) (geom.Point, bool) {
		d := p.Sub(start)
		u, v := d.X*along.X+d.Y*along.Y, d.X*side.X+d.Y*side.Y
		if u <= 0 {
			return p, true
		}
		turn := math.Atan2(sign*u, sign*(radius-v))
		at := turn * radius
		return start.Add(along.Scale(at)).Add(side.Scale(radius - sign*math.Hypot(u, radius-v))), at <= length
	})
	return nil
}
