package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// The values of the popup "Size From" of Grid and Checkerboard but the last, for two sliders.
const (
	sizeFromCorner = 1
	sizeFromWidth  = 2
)

// cells is where the cells of Grid and of Checkerboard are.
type cells struct {
	anchor, corner      eval.Vector
	from, width, height eval.Number
	reach               float64 // of the corner from the anchor, where the file says nothing, as a fraction of the layer
}

// layout is the anchor, and the size of a cell.
func (c *cells) layout(f *Frame) (anchor geom.Point, w, h float64) {
	anchor = f.PointOr(&c.anchor, 0.5, 0.5)
	switch f.Choice(&c.from) {
	case sizeFromCorner:
		d := f.PointOr(&c.corner, 0.5+c.reach, 0.5+c.reach).Sub(anchor)
		w, h = math.Abs(d.X), math.Abs(d.Y)
	case sizeFromWidth:
		w = f.Number(&c.width)
		h = w
	default:
		w, h = f.Number(&c.width), f.Number(&c.height)
	}
	return anchor, max(1, w), max(1, h)
}

// grid draws lines around cells.
type grid struct {
	wholeLayer
	cells
	border, softX, softY, invert, opacity eval.Number
	color                                 eval.Vector
	blend                                 blending
}

func newGrid(p Params) Effect {
	return &grid{
		cells:  cells{p.Point("0001"), p.Point("0003"), p.Number("0002", sizeFromCorner), p.Number("0004", 32), p.Number("0005", 24), 0.1},
		border: p.Number("0006", 5), softX: p.Number("0008", 0), softY: p.Number("0009", 0), invert: p.Number("0011", 0),
		color: p.Color("0012", [4]float64{1, 1, 1, 1}), opacity: p.Number("0013", 100), blend: blendingOf(p, "0014", blendNone, 3),
	}
}

func (e *grid) Draw(f *Frame, img *raster.Image) error {
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	anchor, w, h := e.layout(f)
	border, line := max(0, f.Number(&e.border)), hairline(f)
	softX, softY, invert := max(line, f.Number(&e.softX)), max(line, f.Number(&e.softY)), f.Choice(&e.invert) != 0
	cover(f, painted, f.Color(&e.color), func(p geom.Point) float64 {
		x := stripes(p.X-anchor.X+border/2, w, min(border, w), softX)
		y := stripes(p.Y-anchor.Y+border/2, h, min(border, h), softY)
		if invert {
			return (1 - x) * (1 - y)
		}
		return 1 - (1-x)*(1-y)
	})
	e.blend.lay(f, img, painted, completion(f, &e.opacity))
	return nil
}

// checkerboard fills every other cell.
type checkerboard struct {
	wholeLayer
	cells
	softX, softY, opacity eval.Number
	color                 eval.Vector
	blend                 blending
}

func newCheckerboard(p Params) Effect {
	return &checkerboard{
		cells: cells{p.Point("0001"), p.Point("0003"), p.Number("0002", sizeFromWidth), p.Number("0004", 16), p.Number("0005", 8), 0.08},
		softX: p.Number("0007", 0), softY: p.Number("0008", 0), color: p.Color("0010", [4]float64{1, 1, 1, 1}),
		opacity: p.Number("0011", 100), blend: blendingOf(p, "0012", blendNone, 3),
	}
}

func (e *checkerboard) Draw(f *Frame, img *raster.Image) error {
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	anchor, w, h := e.layout(f)
	softX, softY := max(hairline(f), f.Number(&e.softX)), max(hairline(f), f.Number(&e.softY))
	cover(f, painted, f.Color(&e.color), func(p geom.Point) float64 {
		x, y := stripes(p.X-anchor.X, 2*w, w, softX), stripes(p.Y-anchor.Y, 2*h, h, softY)
		return x*y + (1-x)*(1-y)
	})
	e.blend.lay(f, img, painted, completion(f, &e.opacity))
	return nil
}
