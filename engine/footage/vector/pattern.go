package vector

import (
	"image"
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Pattern is a picture that is repeated over what it paints.
type Pattern struct {
	Content *Group      // of one tile, which many patterns may share
	Cell    geom.Rect   // what of the content is seen, in the space around it
	Step    geom.Point  // how far tiles lie apart, across and down: more than nothing
	Matrix  geom.Matrix // from that space to the one of what is painted
	Opacity float64
}

// The bounds of a pattern.
const (
	maxCopies = 64    // of a tile that reach into another one
	maxTiles  = 4_096 // that are drawn one by one
	// tileWork is what a tile, and what is painted with a pattern, cost besides their pixels.
	tileWork = 8_192
)

// paint draws what the pen of p holds with the pattern, mapped by m, within area.
func (t *Pattern) paint(p *painter, area image.Rectangle, evenOdd bool, m geom.Matrix, blend raster.Blend) error {
	m = m.Mul(t.Matrix)
	inv, ok := m.Invert()
	if !ok || !inv.Finite() || t.Cell.Empty() || !(t.Step.X > 0 && t.Step.Y > 0) {
		p.pen.Spans(evenOdd, func(int, int, []uint8) {})
		return nil
	}
	// The pen is needed for the tiles themselves, so what it holds is kept.
	seen := image.NewAlpha(area)
	p.pen.Spans(evenOdd, func(x, y int, cov []uint8) { copy(seen.Pix[seen.PixOffset(x, y):], cov) })
	free, err := p.hold(area)
	if err != nil {
		return err
	}
	defer free()
	p.work.pixels += tileWork
	for range surfaceWork {
		if err := p.spend(area); err != nil {
			return err
		}
	}
	painted := image.NewRGBA(area)
	places := t.places(geom.Rect{
		MinX: float64(area.Min.X), MinY: float64(area.Min.Y), MaxX: float64(area.Max.X), MaxY: float64(area.Max.Y),
	}.Transform(inv))
	if w, h := t.size(m); !places.one() && w*h <= t.most(area) {
		err = t.repeat(p, painted, seen, w, h, inv)
	} else {
		err = t.lay(p, painted, m, places)
	}
	if err != nil {
		return err
	}
	raster.MultiplyAlpha(painted, seen)
	raster.Composite(p.dst, painted, t.Opacity, blend)
	return nil
}

// size is that of a tile in pixels: whole ones, so that the next tile begins where one ends.
func (t *Pattern) size(m geom.Matrix) (w, h float64) {
	const rounding = 1e-6
	x, y := m.AxisScale()
	return max(1, math.Ceil(t.Step.X*x-rounding)), max(1, math.Ceil(t.Step.Y*y-rounding))
}

// most is how many pixels a tile may have that is drawn once for all.
func (t *Pattern) most(area image.Rectangle) float64 {
	const few = 1 << 16
	return max(few, 4*float64(area.Dx())*float64(area.Dy()))
}

// places are the numbers of the tiles that a rectangle shows, from the first to before the last, across and down.
type places struct{ x0, y0, x1, y1 float64 }

func (t *Pattern) places(r geom.Rect) places {
	return places{
		math.Floor((r.MinX-t.Cell.MaxX)/t.Step.X) + 1, math.Floor((r.MinY-t.Cell.MaxY)/t.Step.Y) + 1,
		math.Ceil((r.MaxX - t.Cell.MinX) / t.Step.X), math.Ceil((r.MaxY - t.Cell.MinY) / t.Step.Y),
	}
}

func (p places) one() bool { return p.x1-p.x0 <= 1 && p.y1-p.y0 <= 1 }

// lay draws each tile by itself: where there is one, or where they are too large to be kept.
func (t *Pattern) lay(p *painter, dst *raster.Image, m geom.Matrix, at places) error {
	if !((at.x1-at.x0)*(at.y1-at.y0) <= maxTiles) {
		return errDear
	}
	in := *p
	in.dst, in.area, in.mask = dst, dst.Rect, nil
	return t.tiles(&in, m, at)
}

// tiles draws the tiles at places.
func (t *Pattern) tiles(p *painter, m geom.Matrix, at places) error {
	for y := range max(0, int(at.y1-at.y0)) { // not by adding to y0, which may be too large to grow by 1
		for x := range max(0, int(at.x1-at.x0)) {
			by := geom.Translate((at.x0+float64(x))*t.Step.X, (at.y0+float64(y))*t.Step.Y)
			if err := t.tile(p, m.Mul(by)); err != nil {
				return err
			}
		}
	}
	return nil
}

// tile draws a tile, mapped by m.
func (t *Pattern) tile(p *painter, m geom.Matrix) error {
	p.work.pixels += tileWork
	cell := t.Cell
	g := NewGroup(geom.Identity)
	g.Clips = []Clip{{{Outline: geom.RectOutline((cell.MinX+cell.MaxX)/2, (cell.MinY+cell.MaxY)/2, cell.MaxX-cell.MinX, cell.MaxY-cell.MinY, 0)}}}
	g.Nodes = []Node{t.Content}
	return g.draw(p, m)
}

// repeat fills dst, where anything of it is seen, with a tile of w by h pixels that is drawn once.
func (t *Pattern) repeat(p *painter, dst *raster.Image, seen *image.Alpha, w, h float64, inv geom.Matrix) error {
	img, err := t.drawn(p, w, h)
	if err != nil {
		return err
	}
	to := geom.Scale(w/t.Step.X, h/t.Step.Y).Mul(geom.Translate(-t.Cell.MinX, -t.Cell.MinY)).Mul(inv)
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		row, line := dst.Pix[dst.PixOffset(dst.Rect.Min.X, y):], seen.Pix[seen.PixOffset(dst.Rect.Min.X, y):]
		for i := range dst.Rect.Dx() {
			if line[i] != 0 {
				c := wrapped(img, to.Apply(geom.Point{X: float64(dst.Rect.Min.X+i) + 0.5, Y: float64(y) + 0.5}))
				copy(row[4*i:4*i+4], c[:])
			}
		}
	}
	return nil
}

// tileKey names a tile that was drawn.
type tileKey struct {
	content *Group
	cell    geom.Rect
	step    geom.Point
	w, h    float64
}

// drawn is a tile in pixels, with what tiles beside it paint into it. While there is room it is kept for what else the pattern paints.
func (t *Pattern) drawn(p *painter, w, h float64) (*raster.Image, error) {
	key := tileKey{t.Content, t.Cell, t.Step, w, h}
	if img := p.work.tiles[key]; img != nil {
		return img, nil
	}
	size := image.Rect(0, 0, int(w), int(h))
	free, err := p.hold(size)
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(size)
	if err := t.draw(p, img); err != nil {
		free()
		return nil, err
	}
	if p.work.held > p.work.most/2 {
		free()
		return img, nil
	}
	if p.work.tiles == nil {
		p.work.tiles = map[tileKey]*raster.Image{}
	}
	p.work.tiles[key] = img
	return img, nil
}

// draw draws a tile that fills dst, and those before it that reach into it.
func (t *Pattern) draw(p *painter, dst *raster.Image) error {
	across, down := math.Ceil((t.Cell.MaxX-t.Cell.MinX)/t.Step.X-1e-6), math.Ceil((t.Cell.MaxY-t.Cell.MinY)/t.Step.Y-1e-6)
	if !(across*down <= maxCopies) {
		return errDear
	}
	in := *p
	in.dst, in.area, in.mask = dst, dst.Rect, nil
	m := geom.Scale(float64(dst.Rect.Dx())/t.Step.X, float64(dst.Rect.Dy())/t.Step.Y).Mul(geom.Translate(-t.Cell.MinX, -t.Cell.MinY))
	return t.tiles(&in, m, places{1 - across, 1 - down, 1, 1})
}

// wrapped is the colour at a position of a picture beside which it lies again, between the centres of four pixels.
func wrapped(img *raster.Image, at geom.Point) (c raster.Color) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	x, y := at.X-0.5, at.Y-0.5
	left, top := math.Floor(x), math.Floor(y)
	fx, fy := uint32((x-left)*256+0.5), uint32((y-top)*256+0.5)
	x0, y0 := within(left, w), within(top, h)
	x1, y1 := (x0+1)%w, (y0+1)%h
	a, b := img.Pix[y0*img.Stride+4*x0:], img.Pix[y0*img.Stride+4*x1:]
	d, e := img.Pix[y1*img.Stride+4*x0:], img.Pix[y1*img.Stride+4*x1:]
	for i := range c {
		above := uint32(a[i])*(256-fx) + uint32(b[i])*fx
		below := uint32(d[i])*(256-fx) + uint32(e[i])*fx
		c[i] = uint8((above*(256-fy) + below*fy + 1<<15) >> 16)
	}
	return c
}

// within is v modulo n, also for numbers below zero; 0 for those that are none.
func within(v float64, n int) int {
	v -= math.Floor(v/float64(n)) * float64(n)
	if !(v >= 0 && v < float64(n)) {
		return 0
	}
	return int(v)
}
