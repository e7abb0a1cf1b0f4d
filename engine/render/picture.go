package render

import (
	"image"

	"overcrank/aep"
	"overcrank/engine/effect"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// picture is a layer with its masks and effects, before opacity, matte and blend mode. It may belong to the cache, so it must not be
// written to. A picture without an image shows nothing.
type picture struct {
	img     *raster.Image
	m       geom.Matrix      // maps its pixels to those of the target
	h       *geom.Homography // does so instead of m, in perspective; nil for most
	release func()           // when it is no longer needed
	how     raster.Sampling
}

// bounds is the part of clip that the picture may touch.
func (p *picture) bounds(clip image.Rectangle) image.Rectangle {
	r := p.img.Rect
	if p.h != nil {
		box, _ := p.h.Box(boxOf(r))
		return raster.PixelRect(box.Grow(1)).Intersect(clip)
	}
	if p.m != geom.Identity {
		r = raster.PixelRect(boxOf(r).Transform(p.m).Grow(1))
	}
	return r.Intersect(clip)
}

// over draws the picture over dst.
func (p *picture) over(dst *raster.Image, opacity float64, blend raster.Blend) {
	if p.h != nil {
		raster.Project(dst, p.img, *p.h, dst.Rect, opacity, blend)
		return
	}
	if p.m == geom.Identity {
		raster.Composite(dst, p.img, opacity, blend)
		return
	}
	raster.Draw(dst, p.img, p.m, dst.Rect, opacity, blend, p.how)
}

// drawSource draws what the layer is made of over dst, in its place.
func (d *drawing) drawSource(dst *raster.Image, opacity float64, blend raster.Blend) error {
	given := d.given
	d.given = nil
	pic, err := given.picture(), error(nil)
	if given == nil {
		pic, err = d.source(dst.Rect)
	}
	if pic.img == nil || err != nil {
		return err
	}
	defer pic.release()
	raster.Draw(dst, pic.img, pic.m, dst.Rect, opacity, blend, pic.how)
	return nil
}

func boxOf(r image.Rectangle) geom.Rect {
	return geom.Rect{MinX: float64(r.Min.X), MinY: float64(r.Min.Y), MaxX: float64(r.Max.X), MaxY: float64(r.Max.Y)}
}

// picture draws a layer with its masks and effects on a surface of its own, for the pixels of clip. x is its exposure.
//
// As After Effects does, the effects of a layer that is made of pixels are applied before its transform, along its own axes; then it
// does not matter to them where the layer is. A layer made of outlines is transformed first.
func (w *worker) picture(clip image.Rectangle, v view, d *drawing, x *exposure, masks []mask) (picture, error) {
	if x != nil {
		return w.blurred(clip, v, x, masks, v.layer.Effects)
	}
	if v.inPerspective() {
		return w.projected(clip, v, masks)
	}
	if v.layer.Vector() || v.layer.Collapse && v.layer.Kind == scene.Nested || len(masks)+len(v.layer.Effects) == 0 {
		s, release, err := w.cachedOrBuilt(clip, v, d, masks, v.layer.Effects)
		return picture{img: s, m: geom.Identity, release: release}, err
	}
	scale := localScale(v.m)
	local := v
	local.m = geom.Scale(scale, scale)
	d, err := w.prepare(local)
	if d == nil || err != nil {
		return picture{}, err
	}
	fit := v.m.Mul(geom.Scale(1/scale, 1/scale))
	area, ok := w.localArea(local, d, fit, clip)
	if !ok {
		return picture{}, nil
	}
	s, release, err := w.cachedOrBuilt(area, local, d, masks, v.layer.Effects)
	how := raster.Bilinear
	if w.r.opt.Draft {
		how = raster.Nearest
	}
	return picture{img: s, m: fit, release: release, how: how}, err
}

// localScale is the scale at which a layer of pixels is drawn before its transform m: full size, or a half, a quarter … of it where it is
// seen no larger than that.
func localScale(m geom.Matrix) float64 {
	sx, sy := m.AxisScale()
	return 1 / float64(int(1)<<halvings(max(sx, sy)))
}

// localArea is the part of a layer that is drawn, in its own pixels: all of it, so that it can be kept while it moves, unless that is
// much more than what clip shows.
func (w *worker) localArea(v view, d *drawing, fit geom.Matrix, clip image.Rectangle) (image.Rectangle, bool) {
	all := raster.PixelRect(w.extent(v.layer.Effects, w.moment(v, v.m), d.box).painted)
	seen, ok := needed(fit, clip, all)
	if !ok {
		return image.Rectangle{}, false
	}
	if w.affordable(all) {
		return all, true
	}
	return seen, true
}

// affordable tells whether a surface is not much larger than the frame.
func (w *worker) affordable(r image.Rectangle) bool {
	const generous = 4
	return r.Dx() <= generous*w.r.width && r.Dy() <= generous*w.r.height && r.Dx()*r.Dy() <= generous*w.r.width*w.r.height
}

// cachedOrBuilt is a layer with masks and effects, in the pixels to which v.m maps it, within clip.
func (w *worker) cachedOrBuilt(clip image.Rectangle, v view, d *drawing, masks []mask, effects []scene.Effect) (s *raster.Image, release func(), err error) {
	nothing := func() {}
	if s := w.cached(clip, v, d, masks, effects); s != nil {
		return s, nothing, nil
	}
	s, err = w.build(clip, v, d, masks, effects)
	if s == nil || err != nil {
		return nil, nothing, err
	}
	return s, func() { w.r.surfaces.put(s) }, nil
}

func (w *worker) build(clip image.Rectangle, v view, d *drawing, masks []mask, effects []scene.Effect) (*raster.Image, error) {
	f := w.moment(v, v.m)
	if v.layer.Vector() {
		f.Matrix = v.stage.m
	}
	box := w.surfaceFor(w.extent(effects, f, d.box), clip)
	if box.Empty() {
		return nil, nil
	}
	s := w.r.surfaces.get(box)
	if err := d.draw(s, 1, raster.Normal); err != nil {
		w.r.surfaces.put(s)
		return nil, err
	}
	if len(masks) > 0 {
		raster.MultiplyAlpha(s, w.masked(v, masks, s.Rect))
	}
	if err := w.apply(v, effects, f, s); err != nil {
		w.r.surfaces.put(s)
		return nil, err
	}
	return s, nil
}

// maxReach limits how far the effects of a layer may extend it, in pixels.
const maxReach = 2000

// extent is the part of a picture that effects paint and read, in its pixels.
type extent struct {
	painted, read geom.Rect // read is empty unless an effect moves pixels far
	reach         int       // how far effects paint or read around their pixels
}

// extent is what effects make of a layer that paints box.
func (w *worker) extent(effects []scene.Effect, f *effect.Frame, box geom.Rect) extent {
	x := extent{painted: box}
	for _, e := range effects {
		switch e := e.Effect.(type) {
		case effect.Moving:
			x.read = x.read.Union(x.painted)
			x.painted = e.Bounds(f, x.painted)
		case effect.Spreading:
			reach := max(0, min(e.Reach(f), maxReach-x.reach))
			x.reach += reach
			x.painted = x.painted.Grow(float64(reach))
		}
	}
	return x
}

// surfaceFor is the surface that is needed to see x within clip.
func (w *worker) surfaceFor(x extent, clip image.Rectangle) image.Rectangle {
	box := raster.PixelRect(x.painted).Intersect(clip.Inset(-x.reach))
	if box.Empty() || x.read.Empty() {
		return box
	}
	read := raster.PixelRect(x.read)
	if all := box.Union(read); w.affordable(all) {
		return all
	}
	// What is moved from further away than a frame is lost.
	return box.Union(read.Intersect(clip.Inset(-max(w.r.width, w.r.height))))
}

// state identifies the values of the layer's masks and effects at a time, so that a surface can be kept while they stay the same, even
// if they come from an expression.
func (w *worker) state(v view) uint64 {
	h := newHash()
	for i := range v.layer.Filtering {
		if n, ok := v.layer.Filtering[i].At(w.eval, v.t).(aep.Numbers); ok {
			h.add(n...)
		} else {
			h.add(v.t)
		}
	}
	if w.movingMasks(v) != nil {
		h.add(v.t)
	}
	return h.Sum64()
}
