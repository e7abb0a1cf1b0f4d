package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// transform is the effect Transform, in both versions: it moves what is in the layer.
type transform struct {
	anchor, position                                          eval.Vector
	uniform, height, width, skew, skewAxis, rotation, opacity eval.Number
}

func newTransform(p Params) Effect { return transformOf(p, 1) }

// newOldTransform is the version of After Effects 5, whose scales are not uniform unless the file says so.
func newOldTransform(p Params) Effect { return transformOf(p, 0) }

func transformOf(p Params, uniform float64) Effect {
	if layer, comp := p.ref.Layer, p.ref.Comp; layer.MotionBlur && comp != nil && comp.Comp.MotionBlur && eval.Varies(p.ref.Prop) {
		p.Lack("the motion blur")
	}
	if own := p.Number("0009", 1); own.May(func(v float64) bool { return v == 0 }) {
		p.Unless("0010", 0, "the shutter angle")
	}
	return &transform{
		anchor: p.Point("0001"), position: p.Point("0002"), uniform: p.Number("0011", uniform), height: p.Number("0003", 100),
		width: p.Number("0004", 100), skew: p.Number("0005", 0), skewAxis: p.Number("0006", 0), rotation: p.Number("0007", 0),
		opacity: p.Number("0008", 100),
	}
}

// matrix maps pixels of the picture to where they are shown.
func (e *transform) matrix(f *Frame) geom.Matrix {
	height := f.Number(&e.height) / 100
	width := height
	if f.Choice(&e.uniform) == 0 {
		width = f.Number(&e.width) / 100
	}
	anchor, position := f.PointOr(&e.anchor, 0.5, 0.5), f.PointOr(&e.position, 0.5, 0.5)
	own := geom.Translate(position.X, position.Y).Mul(geom.Rotate(f.Number(&e.rotation))).
		Mul(geom.Skew(f.Number(&e.skew), f.Number(&e.skewAxis))).Mul(geom.Scale(width, height)).Mul(geom.Translate(-anchor.X, -anchor.Y))
	back, ok := f.Matrix.Invert()
	if !ok {
		return geom.Matrix{}
	}
	return f.Matrix.Mul(own).Mul(back)
}

// Bounds implements Moving.
func (e *transform) Bounds(f *Frame, box geom.Rect) geom.Rect { return box.Transform(e.matrix(f)) }

func (e *transform) Draw(f *Frame, img *raster.Image) error {
	m := e.matrix(f)
	src, release := copied(f, img)
	defer release()
	clear(img.Pix)
	// What is seen much smaller is first made smaller, so that no pixel of it is passed over.
	x, y := m.AxisScale()
	for max(x, y) <= 0.5 && min(src.Rect.Dx(), src.Rect.Dy()) > 1 {
		at := geom.Translate(float64(src.Rect.Min.X), float64(src.Rect.Min.Y))
		src = raster.Halve(src)
		m = m.Mul(at).Mul(geom.Scale(2, 2))
		x, y = 2*x, 2*y
	}
	raster.Draw(img, src, m, img.Rect, completion(f, &e.opacity), raster.Normal, raster.Bilinear)
	return nil
}
