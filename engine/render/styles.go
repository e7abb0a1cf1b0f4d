package render

import (
	"image"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
	"overcrank/engine/style"
)

// styled draws a layer with its styles over dst. What is seen inside of the layer and what is seen around it are two pictures, both over what
// lies below; the layer's transparency tells how much of each is seen. So each style mixes by its own blend mode with what lies below it, and
// no edge shows what a style covers.
func (w *worker) styled(dst *raster.Image, l *shownLayer, opacity float64, blend raster.Blend) error {
	v := l.view
	if shapesAlpha(v.layer.Blend) && !v.layer.Stencil() {
		own := w.r.surfaces.get(dst.Rect)
		defer w.r.surfaces.put(own)
		if err := w.styledOver(own, l, 1, raster.Normal); err != nil {
			return err
		}
		raster.Composite(dst, own, opacity, blend)
		return nil
	}
	return w.styledOver(dst, l, opacity, blend)
}

// shapesAlpha tells whether a blend mode needs the transparency of all that it lays over what lies below.
func shapesAlpha(mode aep.BlendMode) bool {
	switch mode {
	case aep.BlendDissolve, aep.BlendDancingDissolve, aep.BlendStencilAlpha, aep.BlendStencilLuma, aep.BlendSilhouetteAlpha, aep.BlendSilhouetteLuma,
		aep.BlendAlphaAdd, aep.BlendLuminescentPremul:
		return true
	}
	return false
}

func (w *worker) styledOver(dst *raster.Image, l *shownLayer, opacity float64, blend raster.Blend) error {
	v, set := l.view, l.layer.Styles
	f := &style.Frame{
		Time: v.t, Eval: w.eval, Scale: v.stage.m.MeanScale(), Surface: host{w: w, v: v}.Surface,
		Whole: geom.Rect{MaxX: float64(v.comp.Width), MaxY: float64(v.comp.Height)}.Transform(v.stage.m),
	}
	if set.Pattern.Name != "" && v.layer.Kind == scene.Footage && v.layer.Source != nil {
		if src, err := w.r.sources.get(w.ctx, v.layer.Source, w.n); err == nil && src != nil {
			f.Pattern = src.Pattern
		}
	}
	near := dst.Rect.Inset(-set.Reach(f))
	pic, err := w.seen(near, v, l.d, l.exposure(w), w.masks(v))
	if pic.img == nil || err != nil {
		return err
	}
	box := pic.bounds(near).Inset(-set.Reach(f)).Intersect(near)
	body := w.r.surfaces.get(box)
	defer w.r.surfaces.put(body)
	pic.over(body, 1, raster.Normal)
	pic.release()
	shape := raster.AlphaOf(body, box)
	f.Layer = layerBox(shape, l.d.box)
	area := box.Intersect(dst.Rect)
	if area.Empty() {
		return nil
	}
	seen, release := w.copyOf(dst, area)
	defer release()
	inside, release := w.copyOf(dst, area)
	defer release()
	raster.Solidify(body)
	c := style.Canvas{Shape: shape, Around: seen, Inside: inside}
	for _, one := range set.Below {
		one.Paint(f, &c)
	}
	if set.Grouped(f) {
		group, release := w.copyOf(body, area)
		defer release()
		c.Inside = group
		for _, one := range set.Above {
			one.Paint(f, &c)
		}
		raster.Composite(inside, group, set.Fill(f), blend)
	} else {
		raster.Composite(inside, body, set.Fill(f), blend)
		for _, one := range set.Above {
			one.Paint(f, &c)
		}
	}
	raster.Mix(seen, inside, shape, 1)
	where, err := w.uncut(dst, area, v)
	if err != nil {
		return err
	}
	raster.Mix(dst, seen, where, opacity)
	return nil
}

// copyOf is a part of a picture on a surface of its own.
func (w *worker) copyOf(img *raster.Image, area image.Rectangle) (*raster.Image, func()) {
	out := w.r.surfaces.get(area)
	raster.Composite(out, img, 1, raster.Normal)
	return out, func() { w.r.surfaces.put(out) }
}

// uncut is how much of a layer is seen where, by its matte and by the transparency of what lies below if it keeps that.
func (w *worker) uncut(dst *raster.Image, area image.Rectangle, v view) (*image.Alpha, error) {
	all := w.r.surfaces.get(area)
	defer w.r.surfaces.put(all)
	raster.FillRect(all, area, raster.Color{255, 255, 255, 255})
	if err := w.matte(all, v); err != nil {
		return nil, err
	}
	if v.layer.PreserveTransparency && !v.layer.Stencil() {
		raster.MultiplyAlpha(all, raster.AlphaOf(dst, area))
	}
	return raster.AlphaOf(all, area), nil
}

// layerBox is the box of what a layer shows: of its pixels if all of them are in shape, or else of what it draws.
func layerBox(shape *image.Alpha, drawn geom.Rect) geom.Rect {
	r, w := image.Rectangle{}, shape.Rect.Dx()
	for i, k := range shape.Pix {
		if k != 0 {
			at := image.Pt(shape.Rect.Min.X+i%w, shape.Rect.Min.Y+i/w)
			r = r.Union(image.Rectangle{Min: at, Max: at.Add(image.Pt(1, 1))})
		}
	}
	if !r.In(shape.Rect.Inset(1)) && drawn.MaxX-drawn.MinX < 1<<20 {
		return drawn
	}
	return boxOf(r)
}

// styleState identifies the values of the layer's styles at a time.
func (w *worker) styleState(v view) uint64 {
	h := newHash()
	all := looking{w: w, sum: h}
	for i := range v.layer.Styling {
		all.value(v.layer.Styling[i].At(w.eval, v.t))
	}
	return h.Sum64()
}
