package vector

import (
	"context"
	"errors"
	"image"
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// maxWork limits the pixels that drawing a picture touches, each time that one is touched; maxHeld those of the surfaces that it needs at once,
// in pictures of the size of what it is drawn onto, but for small ones.
const (
	maxWork = 2 << 30
	maxHeld = 16
	small   = 4 << 20 // pixels
	// surfaceWork is how often a surface is touched as a whole.
	surfaceWork = 4
	// groupWork is what a group costs besides what it shows: groups may stand in many places.
	groupWork = 512
)

var errDear = errors.New("drawing it takes too long: too many large parts lie over each other")

// painter draws one picture.
type painter struct {
	ctx  context.Context
	pen  *raster.Rasterizer
	dst  *raster.Image
	area image.Rectangle // what may be drawn on
	mask *image.Alpha    // nil, or how much of each pixel of area is seen
	work *work
}

// work is what drawing a picture has cost so far.
type work struct {
	pixels     int64
	held, most int64
	depth      int
	tiles      map[tileKey]*raster.Image
}

// Draw draws the picture, mapped by m from its natural size, over dst.
func (p *Picture) Draw(ctx context.Context, dst *raster.Image, m geom.Matrix) error {
	size := int64(dst.Rect.Dx()) * int64(dst.Rect.Dy())
	w := painter{ctx: ctx, pen: new(raster.Rasterizer), dst: dst, area: dst.Rect, work: &work{most: max(maxHeld*size, small)}}
	page := geom.Rect{MaxX: p.Width, MaxY: p.Height}.Transform(m)
	if w.area = w.area.Intersect(raster.PixelRect(page)); w.area.Empty() {
		return nil
	}
	return p.Root.draw(&w, m)
}

// spend notes that pixels are touched.
func (p *painter) spend(r image.Rectangle) error {
	p.work.pixels += int64(r.Dx())*int64(r.Dy()) + 64
	if p.work.pixels > maxWork {
		return errDear
	}
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	return nil
}

// hold notes that a surface is needed; free gives it back.
func (p *painter) hold(r image.Rectangle) (free func(), err error) {
	n := int64(r.Dx()) * int64(r.Dy())
	if p.work.held+n > p.work.most {
		return nil, errors.New("drawing it takes too much memory: too many transparent groups lie within each other")
	}
	p.work.held += n
	return func() { p.work.held -= n }, nil
}

func (g *Group) draw(p *painter, m geom.Matrix) error {
	if p.work.depth++; p.work.depth > 4*MaxDepth {
		return ErrTooMuch
	}
	defer func() { p.work.depth-- }()
	p.work.pixels += groupWork
	if err := p.spend(image.Rectangle{}); err != nil {
		return err
	}
	m = m.Mul(g.Matrix)
	if !m.Finite() || g.Opacity <= 0 {
		return nil
	}
	in := *p
	free, err := in.clip(g.Clips, m)
	defer free()
	if err != nil || in.area.Empty() {
		return err
	}
	if g.Opacity >= 1 && g.Blend == nil && g.Mask == nil && g.Filter == nil && !g.Isolated {
		return in.nodes(g, m)
	}
	return in.apart(g, m)
}

func (p *painter) nodes(g *Group, m geom.Matrix) error {
	for _, n := range g.Nodes {
		if err := n.draw(p, m); err != nil {
			return err
		}
	}
	return nil
}

// apart draws a group on a surface of its own, and that over what is there.
func (p *painter) apart(g *Group, m geom.Matrix) error {
	if g.boxed {
		const thin = 2 // lines without a width, and pixels that fade
		if p.area = p.area.Intersect(raster.PixelRect(g.seen().Transform(m).Grow(thin))); p.area.Empty() {
			return nil
		}
	}
	for range surfaceWork {
		if err := p.spend(p.area); err != nil {
			return err
		}
	}
	free, err := p.hold(p.area)
	if err != nil {
		return err
	}
	defer free()
	draw := p.alone
	if g.Filter != nil {
		draw = p.filtered
	}
	own, err := draw(g, m)
	if err != nil {
		return err
	}
	if g.Mask != nil {
		mask, err := p.masked(g.Mask, m)
		if err != nil {
			return err
		}
		raster.MultiplyAlpha(own, mask)
	}
	if p.mask != nil {
		raster.MultiplyAlpha(own, p.mask)
	}
	raster.Composite(p.dst, own, g.Opacity, blendOf(g.Blend))
	return nil
}

// alone is what the nodes of a group show by themselves, mapped by m, on the area of p.
func (p *painter) alone(g *Group, m geom.Matrix) (*raster.Image, error) {
	own := *p
	own.dst, own.mask = image.NewRGBA(p.area), nil
	return own.dst, own.nodes(g, m)
}

// masked is what a mask lets through.
func (p *painter) masked(k *Mask, m geom.Matrix) (*image.Alpha, error) {
	free, err := p.hold(p.area)
	if err != nil {
		return nil, err
	}
	defer free()
	own := *p
	own.dst, own.mask = image.NewRGBA(p.area), nil
	if err := k.Content.draw(&own, m); err != nil {
		return nil, err
	}
	out := raster.AlphaOf(own.dst, p.area)
	if k.Luminance {
		out = luminance(own.dst)
	}
	if k.Inverted {
		for i, v := range out.Pix {
			out.Pix[i] = 255 - v
		}
	}
	return out, nil
}

// clip narrows what p draws on. A rectangle along the pixels needs no mask.
func (p *painter) clip(clips []Clip, m geom.Matrix) (free func(), err error) {
	var held []func()
	free = func() {
		for _, f := range held {
			f()
		}
	}
	for _, c := range clips {
		var box geom.Rect
		for i := range c {
			box = box.Union(c[i].Outline.Transform(m).Bounds())
		}
		p.area = p.area.Intersect(raster.PixelRect(box))
		if p.area.Empty() {
			return free, nil
		}
		if len(c) == 1 && along(c[0].Outline, m) {
			continue
		}
		if err := p.spend(p.area); err != nil {
			return free, err
		}
		give, err := p.hold(p.area)
		if err != nil {
			return free, err
		}
		held = append(held, give)
		p.mask = p.narrowed(c, m)
	}
	return free, nil
}

// narrowed is the mask of p, multiplied by a clip.
func (p *painter) narrowed(c Clip, m geom.Matrix) *image.Alpha {
	out := image.NewAlpha(p.area)
	for i := range c {
		if lines(c[i].Outline, m) > maxLines {
			continue
		}
		p.pen.Reset(p.area)
		p.pen.Within(p.mask)
		p.pen.Fill(c[i].Outline, m)
		p.pen.Spans(c[i].EvenOdd, func(x, y int, cov []uint8) {
			row := out.Pix[out.PixOffset(x, y):][:len(cov)]
			for i, k := range cov {
				row[i] = max(row[i], k)
			}
		})
	}
	return out
}

// along tells whether an outline is a rectangle whose sides lie between pixels.
func along(o geom.Outline, m geom.Matrix) bool {
	pts := make([]geom.Point, 0, 5)
	for i, p := range o.Points {
		if i == 5 {
			return false
		}
		pts = append(pts, m.Apply(p))
	}
	if len(pts) == 5 && pts[4] == pts[0] {
		pts = pts[:4]
	}
	if len(pts) != 4 {
		return false
	}
	for i, v := range o.Verbs {
		if v == geom.CubicTo || v == geom.MoveTo && i > 0 {
			return false
		}
	}
	for i, p := range pts {
		q := pts[(i+1)%4]
		if !whole(p.X) || !whole(p.Y) || (math.Abs(p.X-q.X) > 1e-6) == (math.Abs(p.Y-q.Y) > 1e-6) {
			return false
		}
	}
	return true
}

func whole(v float64) bool { return math.Abs(v-math.Round(v)) < 1e-4 }

func blendOf(b raster.Blend) raster.Blend {
	if b == nil {
		return raster.Normal
	}
	return b
}

func (s *Shape) draw(p *painter, m geom.Matrix) error {
	m = m.Mul(s.Matrix)
	if !m.Finite() {
		return nil
	}
	shape := raster.Shape{Outline: s.Outline, Color: s.Paint.Color, EvenOdd: s.EvenOdd && s.Stroke == nil, Stroke: s.Stroke}
	if s.Stroke != nil {
		shape.Stroke = stroked(s, m)
	}
	area := raster.PixelRect(shape.Bounds().Transform(m).Grow(1)).Intersect(p.area)
	if area.Empty() {
		return nil
	}
	if err := p.spend(area); err != nil {
		return err
	}
	if err := p.trace(s.Outline, m); err != nil {
		return err
	}
	p.pen.Reset(area)
	p.pen.Within(p.mask)
	p.pen.Add(&shape, m)
	switch {
	case s.Paint.Pattern != nil:
		return s.Paint.Pattern.paint(p, area, shape.EvenOdd, m, blendOf(s.Blend))
	case s.Paint.Gradient != nil:
		s.Paint.Gradient.paint(p.dst, p.pen, shape.EvenOdd, m, blendOf(s.Blend))
	case s.Blend == nil:
		p.pen.Paint(p.dst, shape.EvenOdd, raster.Premultiply(s.Paint.Color))
	default:
		plain := Gradient{Matrix: geom.Identity, Stops: []Stop{{Color: s.Paint.Color}}, Opacity: 1}
		plain.paint(p.dst, p.pen, shape.EvenOdd, geom.Identity, s.Blend)
	}
	return nil
}

// maxLines limits the lines that an outline is drawn with, plainFrom is how many of them a stroke has corners and ends of its own for.
const (
	maxLines  = 6_000_000
	plainFrom = 200_000
)

// stroked is the stroke of a shape as it is drawn.
func stroked(s *Shape, m geom.Matrix) *raster.StrokeStyle {
	out := *s.Stroke
	if out.Width <= 0 {
		out.Width = 1 / max(1e-9, m.MeanScale())
	}
	if lines(s.Outline, m) > plainFrom {
		out.Join, out.Cap = raster.BevelJoin, raster.ButtCap
	}
	return &out
}

// trace notes that an outline is drawn.
func (p *painter) trace(o geom.Outline, m geom.Matrix) error {
	n := lines(o, m)
	if n > maxLines {
		return errDear
	}
	p.work.pixels += int64(16 * n)
	return nil
}

// lines is about how many lines an outline becomes: as many as keep curves within a twentieth of a pixel.
func lines(o geom.Outline, m geom.Matrix) int {
	n, i := 0, 0
	scale := max(math.Hypot(m.A, m.B), math.Hypot(m.C, m.D))
	for _, v := range o.Verbs {
		switch v {
		case geom.MoveTo, geom.LineTo:
			i, n = i+1, n+1
		case geom.CubicTo:
			n++
			if i > 0 {
				a, b, c, d := o.Points[i-1], o.Points[i], o.Points[i+1], o.Points[i+2]
				bend := max(a.Sub(b.Scale(2)).Add(c).Len(), b.Sub(c.Scale(2)).Add(d).Len())
				n += int(min(512, math.Sqrt(15*bend*scale)))
			}
			i += 3
		}
	}
	return n
}

func (b *Bitmap) draw(p *painter, m geom.Matrix) error {
	m = m.Mul(b.Matrix)
	if !m.Finite() {
		return nil
	}
	size := b.Image.Rect
	area := raster.PixelRect(geom.Rect{MaxX: float64(size.Dx()), MaxY: float64(size.Dy())}.Transform(m).Grow(1)).Intersect(p.area)
	if area.Empty() {
		return nil
	}
	if err := p.spend(area); err != nil {
		return err
	}
	img, m := shrunk(b.Image, m)
	if x, y := m.AxisScale(); p.mask == nil && max(x, y) <= 1.01 {
		raster.Draw(p.dst, img, m, area, 1, blendOf(b.Blend), raster.Bilinear)
		return nil
	}
	free, err := p.hold(area)
	if err != nil {
		return err
	}
	defer free()
	own := image.NewRGBA(area)
	raster.Draw(own, framed(img), m, area, 1, raster.Normal, raster.Bilinear)
	p.pen.Reset(area)
	p.pen.Within(p.mask)
	p.pen.Fill(geom.RectOutline(float64(img.Rect.Dx())/2, float64(img.Rect.Dy())/2, float64(img.Rect.Dx()), float64(img.Rect.Dy()), 0), m)
	seen := image.NewAlpha(area)
	p.pen.Spans(false, func(x, y int, cov []uint8) { copy(seen.Pix[seen.PixOffset(x, y):], cov) })
	raster.MultiplyAlpha(own, seen)
	raster.Composite(p.dst, own, 1, blendOf(b.Blend))
	return nil
}

// framed is a picture with its outermost pixels once more around it: so its border does not fade where its pixels are enlarged.
func framed(img *raster.Image) *raster.Image {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewRGBA(image.Rect(-1, -1, w+1, h+1))
	for y := -1; y <= h; y++ {
		from := img.Pix[img.PixOffset(0, max(0, min(h-1, y))):][:4*w]
		row := out.Pix[out.PixOffset(-1, y):][:4*(w+2)]
		copy(row[4:], from)
		copy(row[:4], from[:4])
		copy(row[4*(w+1):], from[4*(w-1):])
	}
	return out
}

// shrunk halves a picture until no pixel of it is skipped.
func shrunk(img *raster.Image, m geom.Matrix) (*raster.Image, geom.Matrix) {
	for {
		x, y := m.AxisScale()
		if max(x, y) > 0.5 || img.Rect.Dx() == 1 && img.Rect.Dy() == 1 {
			return img, m
		}
		half := raster.Halve(img)
		m = m.Mul(geom.Scale(float64(img.Rect.Dx())/float64(half.Rect.Dx()), float64(img.Rect.Dy())/float64(half.Rect.Dy())))
		img = half
	}
}
