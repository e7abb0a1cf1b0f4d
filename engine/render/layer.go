package render

import (
	"image"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// drawing is the content of a layer, ready to be drawn.
type drawing struct {
	box geom.Rect // pixels of the target that it may touch
	// draw draws it over dst.
	draw func(dst *raster.Image, opacity float64, blend raster.Blend) error
	// blends tells whether draw supports opacity and blend; a drawing that does not is first drawn on a surface of its
	// own, unless it is opaque and normal.
	blends bool
	// still tells whether it looks the same at any time while state and the matrix are the same.
	still bool
	state uint64
	// cheap tells whether drawing it costs no more than copying it.
	cheap bool
}

// kind is a kind of layer that can be drawn.
type kind struct {
	is func(p *aep.Project, l *aep.Layer) bool
	// prepare is nil for layers that show nothing. A nil drawing shows nothing at this time.
	prepare func(w *worker, v view) (*drawing, error)
}

// kinds are the kinds of layers that can be drawn. To add one, add a file with a value of type kind and a line here; the
// first one that accepts a layer draws it.
func kinds() []kind {
	return []kind{solidKind, footageKind, precompKind, textKind, shapeKind, cameraKind, lightKind}
}

func (r *Renderer) kindOf(l *aep.Layer) (kind, bool) {
	for _, k := range r.kinds {
		if k.is(r.project, l) {
			return k, true
		}
	}
	return kind{}, false
}

// prepare prepares the drawing of a layer; nil when it shows nothing.
func (w *worker) prepare(v view) (*drawing, error) {
	w.at = place{v.comp, v.layer}
	k, ok := w.r.kindOf(v.layer)
	if !ok {
		w.r.undrawn(v, "a layer of this kind")
		return nil, nil
	}
	if k.prepare == nil || !v.m.Finite() {
		return nil, nil
	}
	w.warnLayer(v)
	return k.prepare(w, v)
}

// layer draws one layer over dst.
func (w *worker) layer(dst *raster.Image, l *shownLayer) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	v := l.view
	w.at = place{v.comp, v.layer}
	if v.layer.Adjustment {
		return w.adjustment(dst, v)
	}
	opacity := w.opacity(v)
	if opacity <= 0 {
		return nil
	}
	if err := w.ready(l); l.d == nil || err != nil {
		return err
	}
	d := l.d
	blend := w.blend(v)
	plain := opacity == 1 && v.layer.Blend <= aep.BlendNormal
	lone := v.layer.Matte == aep.MatteNone && !v.layer.PreserveTransparency
	masks, effects := w.masks(v), w.effects(v)
	if lone && len(masks) == 0 && len(effects) == 0 && (d.blends || plain) && !w.keeps(v, d) {
		return d.draw(dst, opacity, blend)
	}
	s, release, err := w.surface(dst.Rect, v, d, masks, effects)
	if s == nil || err != nil {
		return err
	}
	defer release()
	if !lone {
		own := w.r.surfaces.get(s.Rect)
		defer w.r.surfaces.put(own)
		copy(own.Pix, s.Pix)
		if err := w.matte(own, v); err != nil {
			return err
		}
		if v.layer.PreserveTransparency {
			raster.MultiplyAlpha(own, alphaOf(dst, own.Rect))
		}
		s = own
	}
	raster.Composite(dst, s, opacity, blend)
	return nil
}

// surface is the layer on a surface of its own, with masks and effects, before opacity and matte. It may belong to the
// cache, so it must not be written to. Call release when it is no longer needed. A nil surface shows nothing.
func (w *worker) surface(clip image.Rectangle, v view, d *drawing, masks []mask, effects []effectUse) (s *raster.Image, release func(), err error) {
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

func (w *worker) build(clip image.Rectangle, v view, d *drawing, masks []mask, effects []effectUse) (*raster.Image, error) {
	reach := 0
	for _, e := range effects {
		reach = min(reach+e.reach(), maxReach)
	}
	box := raster.PixelRect(d.box.Grow(float64(reach))).Intersect(clip.Inset(-reach))
	if box.Empty() {
		return nil, nil
	}
	s := w.r.surfaces.get(box)
	if err := d.draw(s, 1, raster.Normal); err != nil {
		w.r.surfaces.put(s)
		return nil, err
	}
	if len(masks) > 0 {
		raster.MultiplyAlpha(s, w.combine(masks, v, s.Rect))
	}
	for _, e := range effects {
		e.apply(s)
	}
	return s, nil
}

func (w *worker) opacity(v view) float64 {
	o := w.number(v, v.layer.Props.Child("ADBE Transform Group"), "ADBE Opacity", 100) / 100
	return max(0, min(1, o))
}

// adjustment applies the effects of an adjustment layer to everything below it, within its masks.
func (w *worker) adjustment(dst *raster.Image, v view) error {
	effects := w.effects(v)
	opacity := w.opacity(v)
	if len(effects) == 0 || opacity <= 0 {
		return nil
	}
	w.warnAdjustment(v)
	d, err := w.prepare(v)
	if d == nil || err != nil {
		return err
	}
	changed := w.r.surfaces.get(dst.Rect)
	defer w.r.surfaces.put(changed)
	copy(changed.Pix, dst.Pix)
	for _, e := range effects {
		e.apply(changed)
	}
	where, release, err := w.surface(dst.Rect, v, d, w.masks(v), nil)
	if where == nil || err != nil {
		return err
	}
	defer release()
	raster.Mix(dst, changed, alphaOf(where, dst.Rect), opacity)
	return nil
}

// alphaOf is the alpha of img at the pixels of r.
func alphaOf(img *raster.Image, r image.Rectangle) *image.Alpha {
	out := image.NewAlpha(r)
	both := r.Intersect(img.Rect)
	for y := both.Min.Y; y < both.Max.Y; y++ {
		src := img.Pix[img.PixOffset(both.Min.X, y):]
		dst := out.Pix[out.PixOffset(both.Min.X, y):]
		for x := range both.Dx() {
			dst[x] = src[4*x+3]
		}
	}
	return out
}
