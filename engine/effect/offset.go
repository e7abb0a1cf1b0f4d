package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// offset moves what is in the layer; what leaves it on one side comes back on the other.
type offset struct {
	wholeLayer
	center eval.Vector
	keep   eval.Number
}

func newOffset(p Params) Effect { return &offset{center: p.Point("0001"), keep: p.Number("0002", 0)} }

func (e *offset) Draw(f *Frame, img *raster.Image) error {
	before, release := copied(f, img)
	defer release()
	by := f.PointOr(&e.center, 0.5, 0.5).Sub(f.Size.Scale(0.5))
	warp(f, img, edgeTile, func(p geom.Point) (geom.Point, bool) {
		return p.Sub(by), p.X >= 0 && p.Y >= 0 && p.X <= f.Size.X && p.Y <= f.Size.Y
	})
	mix(img, before, f.Share(&e.keep))
	return nil
}
