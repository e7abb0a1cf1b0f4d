package render

import (
	"image"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// drawing is the content of a layer, ready to be drawn.
type drawing struct {
	box geom.Rect // pixels of the target that it may touch
	// draw draws it over dst.
	draw func(dst *raster.Image, opacity float64, blend raster.Blend) error
	// blends tells whether draw supports opacity and blend; a drawing that does not is first drawn on a surface of its
	// own, unless it is opaque and normal.
	blends bool
	// source draws what it is made of, before its place in the target is known: what a helper may do ahead. nil where draw does all at once.
	source func(clip image.Rectangle) (picture, error)
	given  *content // what a helper drew of it
	// still tells whether it looks the same at any time while state and the matrix are the same.
	still bool
	state uint64
	// deep draws it on a transparent surface of more than bytes, in the colours of layers; nil for what is drawn in bytes.
	deep func(dst *deep.Image) error
	// through draws the layers of a collapsed composition among those around it, in more than bytes; nil for others.
	through func(dst *deep.Image) error
	// opaque are pixels of the target that it covers wholly; empty when that is not known.
	opaque image.Rectangle
	// cheap tells whether drawing it costs no more than copying it.
	cheap bool
}

// kind prepares the drawing of a kind of layer. A nil drawing shows nothing at this time.
type kind func(w *worker, v view) (*drawing, error)

// kinds are the kinds of layers that show something. To add one, add a file with a value of type kind and a line here.
// Cameras and lights show nothing themselves.
func kinds() map[scene.Kind]kind {
	return map[scene.Kind]kind{
		scene.Solid: solidKind, scene.Footage: footageKind, scene.Nested: precompKind, scene.Text: textKind, scene.Shape: shapeKind,
	}
}

// prepare prepares the drawing of a layer; nil when it shows nothing.
func (w *worker) prepare(v view) (*drawing, error) {
	w.at = v.layer
	k := w.r.kinds[v.layer.Kind]
	if k == nil || !v.m.Finite() {
		return nil, nil
	}
	d, err := k(w, v)
	if d != nil && v.layer.Timed {
		d.still = false
	}
	return d, err
}

// layer draws one layer over dst.
func (w *worker) layer(dst *raster.Image, l *shownLayer) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	v := l.view
	w.at = v.layer
	switch {
	case l.among != nil:
		return w.crossed(dst, l)
	case v.layer.Adjustment:
		return w.adjustment(dst, v)
	case v.layer.Stencil():
		return w.stencil(dst, l)
	}
	return w.over(dst, l, v.layer.BlendAt(v.t))
}

// over draws a layer over dst by a blend mode.
func (w *worker) over(dst *raster.Image, l *shownLayer, blend raster.Blend) error {
	v := l.view
	opacity := w.opacity(v)
	if opacity <= 0 {
		return nil
	}
	if err := w.ready(l); l.d == nil || err != nil {
		return err
	}
	if v.layer.Styles != nil {
		return w.styled(dst, l, opacity, blend)
	}
	masks := w.masks(v)
	x := l.exposure(w)
	if w.direct(l, opacity, x, masks) {
		got, err := l.ahead(true)
		if err != nil {
			return err
		}
		l.d.given = got
		return l.d.draw(dst, opacity, blend)
	}
	pic, err := w.seenOf(dst.Rect, l, x, masks)
	if pic.img == nil || err != nil {
		return err
	}
	defer pic.release()
	if v.lone() {
		pic.over(dst, opacity, blend)
		return nil
	}
	own := w.r.surfaces.get(pic.bounds(dst.Rect))
	defer w.r.surfaces.put(own)
	pic.over(own, 1, raster.Normal)
	if err := w.matte(own, v); err != nil {
		return err
	}
	if v.preserves() {
		raster.MultiplyAlpha(own, raster.AlphaOf(dst, own.Rect))
	}
	raster.Composite(dst, own, opacity, blend)
	return nil
}

// seenOf is what is seen of a layer before its matte, opacity and blend mode, from a helper if one drew it.
func (w *worker) seenOf(clip image.Rectangle, l *shownLayer, x *exposure, masks []mask) (picture, error) {
	if got, err := l.ahead(false); got != nil || err != nil {
		return got.picture(), err
	}
	return w.seen(clip, l.view, l.d, x, masks)
}

// direct tells whether a layer is drawn straight onto those below it.
func (w *worker) direct(l *shownLayer, opacity float64, x *exposure, masks []mask) bool {
	v := l.view
	plain := opacity == 1 && isNormal(v.layer.Blend)
	return x == nil && v.lone() && !v.inPerspective() && w.plainInSpace(v) && len(masks) == 0 && len(v.layer.Effects) == 0 && (l.d.blends || plain) && !w.keeps(v, l.d)
}

// preserves tells whether the layer is seen only where those below it are. A stencil shows nothing outside of what is below anyway.
func (v view) preserves() bool { return v.layer.PreserveTransparency && !v.layer.Stencil() }

// lone tells whether what is seen of the layer depends on no other layer.
func (v view) lone() bool { return v.layer.Matted == nil && !v.preserves() }

// stencil cuts what lies below by a layer, everywhere: where the layer shows nothing, nothing is left.
func (w *worker) stencil(dst *raster.Image, l *shownLayer) error {
	own := w.r.surfaces.get(dst.Rect)
	defer w.r.surfaces.put(own)
	if err := w.over(own, l, raster.Normal); err != nil {
		return err
	}
	raster.Composite(dst, own, 1, l.layer.BlendAt(l.t))
	return nil
}

// opacity is that of a layer, and of the collapsed compositions with which it joins others.
func (w *worker) opacity(v view) float64 {
	out := max(0, min(1, v.layer.Opacity.At(w.eval, v.t)/100))
	for s := &v.stage; s.joins != nil; s = s.outer {
		out *= max(0, min(1, s.through.Opacity.At(w.eval, s.outer.t)/100))
	}
	return out
}

// adjustment applies the effects of an adjustment layer to everything below it, within its masks and its matte, and lays the result over
// that by the layer's blend mode.
func (w *worker) adjustment(dst *raster.Image, v view) error {
	opacity := w.opacity(v)
	if len(v.layer.Effects) == 0 || opacity <= 0 {
		return nil
	}
	d, err := w.prepare(v)
	if d == nil || err != nil {
		return err
	}
	changed := w.r.surfaces.get(dst.Rect)
	defer w.r.surfaces.put(changed)
	copy(changed.Pix, dst.Pix)
	if err := w.apply(v, v.layer.Effects, w.moment(v, v.m), changed); err != nil {
		return err
	}
	where, err := w.where(dst.Rect, v, d)
	if where == nil || err != nil {
		return err
	}
	if isNormal(v.layer.Blend) {
		raster.Mix(dst, changed, where, opacity)
		return nil
	}
	raster.MultiplyAlpha(changed, where)
	raster.Composite(dst, changed, opacity, v.layer.BlendAt(v.t))
	return nil
}

// where is where an adjustment layer itself is seen, with its masks and its matte; nil when it shows nothing.
func (w *worker) where(clip image.Rectangle, v view, d *drawing) (*image.Alpha, error) {
	pic, err := w.shape(clip, v, d)
	if pic.img == nil || err != nil {
		return nil, err
	}
	defer pic.release()
	if v.layer.Matted == nil {
		return raster.AlphaOf(pic.img, clip), nil
	}
	own := w.r.surfaces.get(pic.img.Rect.Intersect(clip))
	defer w.r.surfaces.put(own)
	raster.Composite(own, pic.img, 1, raster.Normal)
	if err := w.matte(own, v); err != nil {
		return nil, err
	}
	return raster.AlphaOf(own, clip), nil
}

// shape is the picture of an adjustment layer itself, with its masks.
func (w *worker) shape(clip image.Rectangle, v view, d *drawing) (picture, error) {
	if x := w.exposure(v); x != nil {
		return w.blurred(clip, v, x, w.masks(v), nil)
	}
	s, release, err := w.cachedOrBuilt(clip, v, d, w.masks(v), nil)
	return picture{img: s, release: release}, err
}
