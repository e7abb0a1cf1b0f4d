package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// mirror shows one side of a line on its other side too.
type mirror struct {
	center eval.Vector
	angle  eval.Number
}

func newMirror(p Params) Effect { return &mirror{p.Point("0001"), p.Number("0002", 0)} }

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

// Bounds implements Moving: the image may be where the layer has nothing.
func (e *mirror) Bounds(f *Frame, box geom.Rect) geom.Rect {
	return box.Union(layerRect(f).Transform(f.Matrix))
}
