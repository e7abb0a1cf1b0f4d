package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of Optics Compensation's popup "FOV Orientation".
const (
	opticsVertical = 2
	opticsDiagonal = 3
)

// optics is Optics Compensation: it adds the distortion of a lens, or takes it away.
type optics struct {
	wholeLayer
	view, reverse, orientation eval.Number
	center                     eval.Vector
}

func newOptics(p Params) Effect {
	p.Lack("the exact curve")
	p.Unless("0005", 0, "the optimal pixels")
	p.Unless("0006", 1, "the resizing")
	return &optics{view: p.Number("0001", 0), reverse: p.Number("0002", 0), orientation: p.Number("0003", 1), center: p.Point("0004")}
}

// Draw maps the picture of a lens whose distances grow with the angle, r = f θ, to that of a lens without distortion, r = f tan θ, or back.
// Both show the middle at the same size.
func (e *optics) Draw(f *Frame, img *raster.Image) error {
	// At 180 degrees the undistorted picture would be endless.
	half := min(179, f.Number(&e.view)) / 2 * math.Pi / 180
	if half <= 0 {
		return nil
	}
	extent := f.Size.X
	switch f.Choice(&e.orientation) {
	case opticsVertical:
		extent = f.Size.Y
	case opticsDiagonal:
		extent = f.Size.Len()
	}
	length := max(1e-6, extent/2/math.Tan(half))
	reverse, center := f.Choice(&e.reverse) != 0, f.PointOr(&e.center, 0.5, 0.5)
	warp(f, img, edgeNothing, func(p geom.Point) (geom.Point, bool) {
		d := p.Sub(center)
		r := math.Sqrt(d.X*d.X+d.Y*d.Y) / length
		switch {
		case r < 1e-9:
			return p, true
		case reverse:
			return center.Add(d.Scale(math.Atan(r) / r)), true
		}
		return center.Add(d.Scale(math.Tan(r) / r)), r < math.Pi/2
	})
	return nil
}
