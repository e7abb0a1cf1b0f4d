package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// upscale is Detail-preserving Upscale, without what it adds to details: the layer larger, about its middle.
type upscale struct{ scale eval.Number }

func newUpscale(p Params) Effect {
	p.Lack("the added detail")
	return &upscale{p.Number("0001", 100)}
}

func (e *upscale) matrix(f *Frame) geom.Matrix {
	scale := max(0, f.Number(&e.scale)) / 100
	middle := f.Matrix.Apply(f.Size.Scale(0.5))
	return geom.Translate(middle.X, middle.Y).Mul(geom.Scale(scale, scale)).Mul(geom.Translate(-middle.X, -middle.Y))
}

// Bounds implements Moving.
func (e *upscale) Bounds(f *Frame, box geom.Rect) geom.Rect { return box.Transform(e.matrix(f)) }

func (e *upscale) Draw(f *Frame, img *raster.Image) error {
	m := e.matrix(f)
	if m == geom.Identity {
		return nil
	}
	src, release := copied(f, img)
	defer release()
	clear(img.Pix)
	raster.Draw(img, src, m, img.Rect, 1, raster.Normal, raster.Bilinear)
	return nil
}
