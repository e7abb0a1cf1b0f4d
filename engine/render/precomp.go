package render

import (
	"fmt"
	"image"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

var precompKind = kind(func(w *worker, v view) (*drawing, error) {
	comp := v.layer.Inner
	if v.holds(comp.Item) {
		return nil, nil // within itself
	}
	t, ok := w.sourceTime(v, comp.Duration)
	if !ok {
		return nil, nil
	}
	inner := stage{comp: comp, t: t, outer: &v.stage, path: v.instance()}
	d := &drawing{still: comp.Constant, state: state(comp, t)}
	if v.layer.Collapse && v.h == nil && !v.own {
		w.collapsed(d, v, inner)
		return d, nil
	}
	at := w.instants(v, t, 1/FrameTime(comp.Composition, 1), comp.Duration)
	if len(at) > 1 {
		d.still = false
	}
	w.flattened(d, v, inner, at)
	return d, nil
})

// collapsed draws the inner layers straight into the outer composition, so that nothing is sampled twice or cropped.
func (w *worker) collapsed(d *drawing, v view, inner stage) {
	inner.m, inner.through = v.m, v.layer
	huge := float64(1 << 20)
	d.box = geom.Rect{MinX: -huge, MinY: -huge, MaxX: huge, MaxY: huge}
	d.still = false
	d.draw = func(dst *raster.Image, _ float64, _ raster.Blend) error { return w.composition(dst, inner) }
	d.through = func(dst *deep.Image) error { return w.deepComposition(dst, inner) }
	d.deep = func(dst *deep.Image) error {
		err := w.deepComposition(dst, inner)
		w.r.tones.fromBlend(dst)
		return err
	}
}

// flattened draws the inner composition on a surface of its own, at the scale of the render, and then that surface. If
// it is shown much smaller it is drawn smaller. Where frames are blended it is drawn at each of their times.
func (w *worker) flattened(d *drawing, v view, inner stage, at []instant) {
	c := inner.comp.Composition
	sx, sy := v.m.AxisScale()
	scale := w.r.opt.Scale
	scale /= float64(int(1) << halvings(max(sx, sy)/scale))
	width, height := Size(c, scale)
	inner.m, inner.fresh = geom.Scale(scale, scale), true
	fit := v.m.Mul(geom.Scale(1/scale, 1/scale))
	d.box = geom.Rect{MaxX: float64(width), MaxY: float64(height)}.Transform(fit).Grow(1)
	d.blends = true
	part := func(clip image.Rectangle) (image.Rectangle, bool) {
		need, ok := needed(fit, clip, frameRect(width, height))
		if ok && need.Dx()*need.Dy() > maxPixels {
			w.undrawn(v.comp.Item, v.layer.Layer, fmt.Sprintf("a composition of %d by %d pixels", c.Width, c.Height))
			return need, false
		}
		return need, ok
	}
	d.deep = func(dst *deep.Image) error {
		need, ok := part(dst.Rect)
		if !ok {
			return nil
		}
		return w.deepFlattened(dst, need, fit, inner, at)
	}
	d.source = func(clip image.Rectangle) (picture, error) {
		need, ok := part(clip)
		if !ok {
			return picture{}, nil
		}
		own, release, err := w.mixed(at, need, func(t float64) (*raster.Image, func(), error) {
			own, inner := w.r.surfaces.get(need), inner
			inner.t = t
			if err := w.composition(own, inner); err != nil {
				w.r.surfaces.put(own)
				return nil, nil, err
			}
			return own, func() { w.r.surfaces.put(own) }, nil
		})
		return picture{img: own, m: fit, release: release, how: raster.Bilinear}, err
	}
	d.draw = d.drawSource
}

// deepFlattened is flattened in more than bytes.
func (w *worker) deepFlattened(dst *deep.Image, need image.Rectangle, fit geom.Matrix, inner stage, at []instant) error {
	sum := w.r.deepSurfaces.get(need)
	defer w.r.deepSurfaces.put(sum)
	for _, one := range at {
		own, s := w.r.deepSurfaces.get(need), inner
		s.t = one.t
		err := w.deepComposition(own, s)
		if err == nil {
			w.r.tones.fromBlend(own)
			deep.Add(sum, own, float32(one.share))
		}
		w.r.deepSurfaces.put(own)
		if err != nil {
			return err
		}
	}
	deep.Draw(dst, sum, fit, dst.Rect, 1, deep.Normal, raster.Bilinear)
	return nil
}

// needed is the part of a source with bounds all that is visible in the pixels of clip when mapped by m.
func needed(m geom.Matrix, clip, all image.Rectangle) (image.Rectangle, bool) {
	inv, ok := m.Invert()
	if !ok {
		return image.Rectangle{}, false
	}
	box := geom.Rect{MinX: float64(clip.Min.X), MinY: float64(clip.Min.Y), MaxX: float64(clip.Max.X), MaxY: float64(clip.Max.Y)}
	r := raster.PixelRect(box.Transform(inv).Grow(2)).Intersect(all)
	return r, !r.Empty()
}
