package render

import (
	"image"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// deepBlurred is a layer with masks and effects as it is seen within clip while the shutter is open: the mean of its moments. What is made of
// pixels is drawn once, with masks and effects, and moved; outlines are drawn anew for each moment, and then get their effects.
func (w *worker) deepBlurred(clip image.Rectangle, v view, x *exposure, masks []mask) (deepPicture, error) {
	if v.layer.Vector() && !x.inPerspective() {
		return w.deepBlurredOutlines(clip, v, x)
	}
	local := v
	local.h, local.m, local.own = nil, geom.Identity, true
	d, err := w.prepare(local)
	if d == nil || err != nil {
		return deepPicture{}, err
	}
	w.refine(v, x, d.box)
	scale := w.blurredScale(v, x, d.box)
	local.m = geom.Scale(scale, scale)
	if v.layer.Vector() {
		local.stage.m = local.m
	}
	if d, err = w.prepare(local); d == nil || err != nil {
		return deepPicture{}, err
	}
	places := w.places(x, geom.Scale(1/scale, 1/scale))
	area := w.areaOf(local, d, places, clip)
	if w.tooLarge(area) {
		w.undrawn(v.comp.Item, v.layer.Layer, "the motion blur of a layer as large as this")
		return w.deepPicture(clip, v, d, nil, masks)
	}
	if area.Empty() {
		return deepPicture{}, nil
	}
	s, release, err := w.deepBuilt(area, local, d, masks, v.layer.Effects)
	if s == nil || err != nil {
		return deepPicture{}, err
	}
	defer release()
	shots := make([]deepPicture, len(places))
	var seen image.Rectangle
	for i, p := range places {
		shots[i] = deepPicture{img: s, m: p.m, h: p.h, how: p.how}
		seen = seen.Union(shots[i].bounds(clip))
	}
	return w.deepMean(seen, len(shots), func(i int, dst *deep.Image) error {
		shots[i].over(dst, 1, deep.Normal)
		return nil
	})
}

func (w *worker) deepBlurredOutlines(clip image.Rectangle, v view, x *exposure) (deepPicture, error) {
	if at, back, ok := x.largest(v); ok && !x.anew {
		d, err := w.prepare(at)
		if d == nil || err != nil {
			return deepPicture{}, err
		}
		w.refine(v, x, d.box.Transform(back))
	}
	var box geom.Rect
	drawings := make([]*drawing, len(x.views))
	for i, at := range x.views {
		d, err := w.prepare(at)
		if err != nil {
			return deepPicture{}, err
		}
		if drawings[i] = d; d != nil {
			box = box.Union(d.box)
		}
	}
	f, area := w.afterwards(clip, v, v.layer.Effects, box)
	pic, err := w.deepMean(area, len(drawings), func(i int, dst *deep.Image) error {
		d := drawings[i]
		if d == nil {
			return nil
		}
		if err := w.deepDraw(dst, d); err != nil {
			return err
		}
		if masks := w.masksOf(v.layer.Masks, v.t, x.views[i].t); len(masks) > 0 {
			deep.MultiplyAlpha(dst, deep.MaskOf(w.combine(masks, x.views[i].m, dst.Rect)))
		}
		return nil
	})
	if pic.img == nil || err != nil {
		return deepPicture{}, err
	}
	if err := w.deepApply(v, v.layer.Effects, f, pic.img); err != nil {
		pic.release()
		return deepPicture{}, err
	}
	return pic, nil
}

// deepMean is the mean of n shots within area, in bands as expose makes it.
func (w *worker) deepMean(area image.Rectangle, n int, shot func(i int, dst *deep.Image) error) (deepPicture, error) {
	if area.Empty() {
		return deepPicture{}, nil
	}
	out := w.r.deepSurfaces.get(area)
	pic := deepPicture{img: out, m: geom.Identity, release: func() { w.r.deepSurfaces.put(out) }, how: raster.Bilinear}
	rows := max(1, bandPixels/area.Dx())
	for y := area.Min.Y; y < area.Max.Y; y += rows {
		band := image.Rect(area.Min.X, y, area.Max.X, min(y+rows, area.Max.Y))
		for i := range n {
			if err := w.ctx.Err(); err != nil {
				pic.release()
				return deepPicture{}, err
			}
			own := w.r.deepSurfaces.get(band)
			err := shot(i, own)
			if err == nil {
				deep.Add(out, own, 1/float32(n))
			}
			w.r.deepSurfaces.put(own)
			if err != nil {
				pic.release()
				return deepPicture{}, err
			}
		}
	}
	return pic, nil
}
