package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// mirror shows one side of a line on its other side too.
type mirror struct {
	wholeLayer
	center eval.Vector
	angle  eval.Number
}

func newMirror(p Params) Effect { return &mirror{center: p.Point("0001"), angle: p.Number("0002", 0)} }

func (e *mirror) Draw(f *Frame, img *raster.Image) error {
	sin, cos := math.Sincos(f.Number(&e.angle) * math.Pi / 180)
	center := f.PointOr(&e.center, 1, 0.5)
	warp(f, img, edgeNothing, func(p geom.Point) (geom.Point, bool) {
		if beyond := (p.X-center.X)*cos + (p.Y-center.Y)*sin; beyond > 0 {
			p = geom.Point{X: p.X - 2*beyond*cos, Y: p.Y - 2*beyond*sin}
		}
		return p, true
	})
	return nil
}
