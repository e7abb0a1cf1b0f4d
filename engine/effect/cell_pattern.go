package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/random"
	"overcrank/engine/raster"
)

// The values of Cell Pattern's popup "Cell Pattern", as far as they are drawn apart. The HQ ones look like those without.
const (
	cellBubbles      = 1
	cellPlates       = 3
	cellStaticPlates = 4
	cellPillow       = 6
	cellPlatesHQ     = 8
	cellStaticHQ     = 9
	cellTubular      = 12
)

// cellPattern is Cell Pattern: each pixel by its distance from the points of an irregular lattice. Worley: A cellular texture basis
// function, 1996.
type cellPattern struct {
	kind, invert, contrast, disperse, size, evolution, cycled, cycle, seed eval.Number
	offset                                                                 eval.Vector
}

func newCellPattern(p Params) Effect {
	p.Lack("the exact pattern")
	p.Unless("0009", 0, "the tiling")
	return &cellPattern{
		kind: p.Number("0001", cellBubbles), invert: p.Number("0002", 0), contrast: p.Number("0003", 100), disperse: p.Number("0005", 1),
		size: p.Number("0006", 60), offset: p.Point("0007"), evolution: p.Number("0013", 0), cycled: p.Number("0015", 0),
		cycle: p.Number("0016", 1), seed: p.Number("0017", 0),
	}
}

// cellPoints are the points of the cells over a part of the plane, one in each cell.
type cellPoints struct {
	x, y, w, h int
	points     []geom.Point
	values     []float64 // random, of each
}

func newCellPoints(seed int, turn, disperse float64, box geom.Rect) *cellPoints {
	c := &cellPoints{}
	x0, y0 := math.Floor(box.MinX)-2, math.Floor(box.MinY)-2
	w, h := math.Ceil(box.MaxX)+3-x0, math.Ceil(box.MaxY)+3-y0
	if !(w > 0 && h > 0 && w*h <= maxLattice) {
		return c
	}
	c.x, c.y, c.w, c.h = lattice(x0), lattice(y0), int(w), int(h)
	for iy := range c.h {
		for ix := range c.w {
			x, y := c.x+ix, c.y+iy
			// Each point runs around its place as the pattern evolves.
			sin, cos := math.Sincos(2 * math.Pi * (turn + random.At(seed, x, y, 1)))
			far := disperse / 2 * random.At(seed, x, y, 2)
			c.points = append(c.points, geom.Point{X: float64(x) + 0.5 + far*cos, Y: float64(y) + 0.5 + far*sin})
			c.values = append(c.values, random.At(seed, x, y, 3))
		}
	}
	return c
}

// near are the distances of the two nearest points, and the value of the nearest.
func (c *cellPoints) near(x, y float64) (first, second, value float64) {
	first, second = 4, 4
	if c.points == nil {
		return 0.5, 0.5, 0.5
	}
	cx, cy := int(math.Floor(x))-c.x, int(math.Floor(y))-c.y
	for iy := max(0, cy-1); iy <= min(c.h-1, cy+1); iy++ {
		for ix := max(0, cx-1); ix <= min(c.w-1, cx+1); ix++ {
			n := iy*c.w + ix
			dx, dy := c.points[n].X-x, c.points[n].Y-y
			switch d := dx*dx + dy*dy; {
			case d < first:
				first, second, value = d, first, c.values[n]
			case d < second:
				second = d
			}
		}
	}
	return math.Sqrt(first), math.Sqrt(second), value
}

func (e *cellPattern) Draw(f *Frame, img *raster.Image) error {
	back, ok := f.Matrix.Invert()
	if !ok {
		return nil
	}
	size, offset, kind := max(2, f.Number(&e.size)), f.PointOr(&e.offset, 0.5, 0.5), f.Choice(&e.kind)
	to := geom.Scale(1/size, 1/size).Mul(geom.Translate(-offset.X, -offset.Y))
	cells := newCellPoints(f.Choice(&e.seed), f.Number(&e.evolution)/360, max(0, min(1.5, f.Number(&e.disperse))), boxOf(img).Transform(back).Transform(to))
	contrast, invert := f.Number(&e.contrast)/100, f.Choice(&e.invert) != 0
	painted, release := f.Host.Surface(img.Rect)
	defer release()
	paintEach(f, painted, func(x, y float64, px []uint8) {
		first, second, value := cells.near(to.A*x+to.E, to.D*y+to.F)
		v := second - first // crystals
		switch kind {
		case cellBubbles:
			v = 1 - first
		case cellPlates, cellPlatesHQ, cellStaticPlates, cellStaticHQ:
			v = value
		case cellPillow:
			v = 1 - first*first
		case cellTubular:
			v = first
		}
		if v = (v-0.5)*contrast + 0.5; invert {
			v = 1 - v
		}
		grey := channel(v*255, 255)
		px[0], px[1], px[2], px[3] = grey, grey, grey, 255
	})
	inside := blending{mode: eval.NumberOf(eval.Ref{}, blendNone)}
	inside.layInside(f, img, painted, 1)
	return nil
}
