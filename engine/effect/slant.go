package effect

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// slant is CC Slant: the layer leans over a floor.
type slant struct {
	slant, height, colored eval.Number
	floor, color           eval.Vector
}

func newSlant(p Params) Effect {
	p.Lack("the exact length")
	p.Unless("0002", 1, "slanting without stretching")
	return &slant{
		slant: p.Number("0001", 0), height: p.Number("0003", 100), floor: p.Point("0004"),
		colored: p.Number("0005", 0), color: p.Color("0006", [4]float64{0, 0, 0, 1}),
	}
}

// matrix maps the picture to its slanted place.
func (e *slant) matrix(f *Frame) geom.Matrix {
	floor, height := f.PointOr(&e.floor, 0.5, 1), f.Number(&e.height)/100
	lean := geom.Matrix{A: 1, C: -f.Number(&e.slant) / 100, D: height}
	own := geom.Translate(floor.X, floor.Y).Mul(lean).Mul(geom.Translate(-floor.X, -floor.Y))
	back, ok := f.Matrix.Invert()
	if !ok {
		return geom.Matrix{}
	}
	return f.Matrix.Mul(own).Mul(back)
}

// Bounds implements Moving.
func (e *slant) Bounds(f *Frame, box geom.Rect) geom.Rect { return box.Transform(e.matrix(f)) }

func (e *slant) Draw(f *Frame, img *raster.Image) error {
	src, release := copied(f, img)
	defer release()
	clear(img.Pix)
	raster.Draw(img, src, e.matrix(f), img.Rect, 1, raster.Normal, raster.Bilinear)
	if f.Choice(&e.colored) != 0 {
		paintOver(img, f.Color(&e.color))
	}
	return nil
}

// paintOver gives every pixel one colour and keeps its transparency.
func paintOver(img *raster.Image, color [4]float64) {
	recolor(img, func([3]float64) [3]float64 { return [3]float64{color[0], color[1], color[2]} })
}
