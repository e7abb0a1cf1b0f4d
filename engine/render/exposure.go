package render

import (
	"image"
	"math"

	"overcrank/engine/effect"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// shot is a layer at a moment of a frame.
type shot interface {
	bounds(clip image.Rectangle) image.Rectangle
	draw(dst *raster.Image) error
}

// draw draws the picture over dst as it is.
func (p *picture) draw(dst *raster.Image) error {
	p.over(dst, 1, raster.Normal)
	return nil
}

// outlined is a layer of outlines that is drawn anew for a moment.
type outlined struct {
	w     *worker
	v     view
	d     *drawing
	masks []mask
}

func (o *outlined) bounds(clip image.Rectangle) image.Rectangle {
	return raster.PixelRect(o.d.box).Intersect(clip)
}

func (o *outlined) draw(dst *raster.Image) error {
	if err := o.d.draw(dst, 1, raster.Normal); err != nil {
		return err
	}
	if len(o.masks) > 0 {
		raster.MultiplyAlpha(dst, o.w.combine(o.masks, o.v.m, dst.Rect))
	}
	return nil
}

// blurred is a layer with masks and effects, as it is seen within clip while the shutter is open. What is made of pixels is drawn once, with
// masks and effects, and moved; so are outlines in perspective. Other outlines are moved, or drawn anew if they change, and then get their effects.
func (w *worker) blurred(clip image.Rectangle, v view, x *exposure, masks []mask, effects []scene.Effect) (picture, error) {
	switch {
	case !v.layer.Vector() || x.inPerspective():
		return w.blurredPixels(clip, v, x, masks, effects)
	case x.anew:
		return w.blurredAnew(clip, v, x, effects)
	}
	return w.blurredOutlines(clip, v, x, masks, effects)
}

func (x *exposure) inPerspective() bool {
	for i := range x.views {
		if x.views[i].inPerspective() {
			return true
		}
	}
	return false
}

// blurredPixels draws the layer in its own pixels, and then at each moment.
func (w *worker) blurredPixels(clip image.Rectangle, v view, x *exposure, masks []mask, effects []scene.Effect) (picture, error) {
	local := v
	local.h, local.m, local.own = nil, geom.Identity, true
	d, err := w.prepare(local)
	if d == nil || err != nil {
		return picture{}, err
	}
	w.refine(v, x, d.box)
	scale := w.blurredScale(v, x, d.box)
	local.m = geom.Scale(scale, scale)
	if v.layer.Vector() {
		local.stage.m = local.m
	}
	if scale != 1 {
		if d, err = w.prepare(local); d == nil || err != nil {
			return picture{}, err
		}
	}
	shots := w.places(x, geom.Scale(1/scale, 1/scale))
	area := w.areaOf(local, d, shots, clip)
	if w.tooLarge(area) {
		w.undrawn(v.comp.Item, v.layer.Layer, "the motion blur of a layer as large as this")
		x.views = []view{v}
		return w.blurredPixels(clip, v, x, masks, effects)
	}
	if area.Empty() {
		return picture{}, nil
	}
	s, release, err := w.cachedOrBuilt(area, local, d, masks, effects)
	if s == nil || err != nil {
		return picture{}, err
	}
	defer release()
	var seen image.Rectangle
	all := shotsOf(shots, s)
	for _, one := range all {
		seen = seen.Union(one.bounds(clip))
	}
	return w.expose(seen, all, len(all))
}

// blurredScale is the scale at which a layer is drawn in its own pixels.
func (w *worker) blurredScale(v view, x *exposure, box geom.Rect) float64 {
	magnified := 0.0
	for i := range x.views {
		place := x.views[i].place()
		magnified = max(magnified, place.Magnifies(box))
	}
	if x.inPerspective() {
		return w.projectedScale(v, box, magnified)
	}
	return localScale(geom.Scale(magnified, magnified))
}

// places are pictures of the layer at its moments, still without their image, whose pixels to maps to those of the layer.
func (w *worker) places(x *exposure, to geom.Matrix) []picture {
	out := make([]picture, len(x.views))
	for i := range out {
		p, v := &out[i], &x.views[i]
		p.m = v.m.Mul(to)
		if v.h != nil {
			h := v.h.Mul(geom.Perspective(to))
			p.m, p.h = geom.Identity, &h
		}
		if w.r.opt.Draft {
			p.how = raster.Nearest
		}
	}
	return out
}

// shotsOf are shots of one image.
func shotsOf(places []picture, img *raster.Image) []shot {
	out := make([]shot, len(places))
	for i := range places {
		places[i].img = img
		out[i] = &places[i]
	}
	return out
}

// areaOf is the part of a layer, in its own pixels, that is needed to show it at places within clip.
func (w *worker) areaOf(v view, d *drawing, places []picture, clip image.Rectangle) image.Rectangle {
	var area image.Rectangle
	for i := range places {
		fit := geom.Perspective(places[i].m)
		if places[i].h != nil {
			fit = *places[i].h
		}
		if seen, ok := w.projectedArea(v, d, fit, clip); ok {
			area = area.Union(seen)
		}
	}
	return area
}

// tooLarge tells whether a surface would need more memory than a single picture of a layer ever does.
func (w *worker) tooLarge(r image.Rectangle) bool {
	return !w.affordable(r) && (r.Dx() > maxPixels || r.Dy() > maxPixels || r.Dx()*r.Dy() > maxPixels)
}

// blurredOutlines draws the layer as it is seen where that is largest, moves this picture, and applies the effects.
func (w *worker) blurredOutlines(clip image.Rectangle, v view, x *exposure, masks []mask, effects []scene.Effect) (picture, error) {
	at, back, ok := x.largest(v)
	if !ok {
		return picture{}, nil
	}
	d, err := w.prepare(at)
	if d == nil || err != nil {
		return picture{}, err
	}
	w.refine(v, x, d.box.Transform(back))
	places := w.places(x, back)
	var box geom.Rect
	for i := range places {
		box = box.Union(d.box.Transform(places[i].m).Grow(1))
	}
	f, area := w.afterwards(clip, v, effects, box)
	if area.Empty() {
		return picture{}, nil
	}
	part := raster.PixelRect(d.box)
	if !w.affordable(part) {
		part = image.Rectangle{}
		for i := range places {
			if r, ok := needed(places[i].m, area, raster.PixelRect(d.box)); ok {
				part = part.Union(r)
			}
		}
	}
	if w.tooLarge(part) {
		return w.blurredAnew(clip, v, x, effects)
	}
	s, err := w.build(part, at, d, masks, nil)
	if s == nil || err != nil {
		return picture{}, err
	}
	defer w.r.surfaces.put(s)
	return w.exposeThen(area, shotsOf(places, s), len(places), v, f, effects)
}

// largest is v where the layer is seen largest, and what maps the target's pixels to the layer's there; false when it is not seen at all.
func (x *exposure) largest(v view) (at view, back geom.Matrix, ok bool) {
	most := -1.0
	for i := range x.views {
		if size := math.Abs(x.views[i].m.Det()); size > most {
			most, v.m = size, x.views[i].m
		}
	}
	back, ok = v.m.Invert()
	return v, back, ok
}

// blurredAnew draws the layer anew for each moment, and applies the effects.
func (w *worker) blurredAnew(clip image.Rectangle, v view, x *exposure, effects []scene.Effect) (picture, error) {
	var shots []shot
	var box geom.Rect
	for _, at := range x.views {
		d, err := w.prepare(at)
		if err != nil {
			return picture{}, err
		}
		if d != nil {
			box = box.Union(d.box)
			shots = append(shots, &outlined{w, at, d, w.masksOf(v.layer.Masks, v.t, at.t)})
		}
	}
	f, area := w.afterwards(clip, v, effects, box)
	if area.Empty() {
		return picture{}, nil
	}
	return w.exposeThen(area, shots, len(x.views), v, f, effects)
}

// afterwards is what the effects of a layer of outlines are drawn for after its transform, and the surface that they need to be seen within clip.
func (w *worker) afterwards(clip image.Rectangle, v view, effects []scene.Effect, box geom.Rect) (*effect.Frame, image.Rectangle) {
	f := w.moment(v, v.m)
	f.Matrix = v.stage.m
	return f, w.surfaceFor(w.extent(effects, f, box), clip)
}

// exposeThen is the mean of shots with effects.
func (w *worker) exposeThen(area image.Rectangle, shots []shot, n int, v view, f *effect.Frame, effects []scene.Effect) (picture, error) {
	pic, err := w.expose(area, shots, n)
	if err != nil {
		return picture{}, err
	}
	if err := w.apply(v, effects, f, pic.img); err != nil {
		pic.release()
		return picture{}, err
	}
	return pic, nil
}

// bandPixels is how many pixels are exposed at a time, which bounds the memory that this needs.
const bandPixels = 1 << 18

// expose is the mean of n shots within area. Those that are missing show nothing.
func (w *worker) expose(area image.Rectangle, shots []shot, n int) (picture, error) {
	if area.Empty() {
		return picture{}, nil
	}
	out := w.r.surfaces.get(area)
	pic := picture{img: out, m: geom.Identity, release: func() { w.r.surfaces.put(out) }}
	rows := max(1, bandPixels/area.Dx())
	for y := area.Min.Y; y < area.Max.Y; y += rows {
		band := image.Rect(area.Min.X, y, area.Max.X, min(y+rows, area.Max.Y))
		if err := w.exposeBand(out, band, shots, n); err != nil {
			pic.release()
			return picture{}, err
		}
	}
	return pic, nil
}

func (w *worker) exposeBand(out *raster.Image, band image.Rectangle, shots []shot, n int) error {
	w.sum.Reset(band)
	for _, s := range shots {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		r := s.bounds(band)
		if r.Empty() {
			continue
		}
		own := w.r.surfaces.get(r)
		err := s.draw(own)
		if err == nil {
			w.sum.Add(own)
		}
		w.r.surfaces.put(own)
		if err != nil {
			return err
		}
	}
	w.sum.Mean(out, n)
	return nil
}
