package render

import (
	"fmt"
	"image"

	"overcrank/engine/deep"
	"overcrank/engine/effect"
	"overcrank/engine/scene"
)

// deepApply draws effects of v on img, in order. One that fails leaves the picture as it is, with a warning.
func (w *worker) deepApply(v view, effects []scene.Effect, f *effect.Frame, img *deep.Image) error {
	for i, e := range effects {
		if e.Effect == nil {
			for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
				clear(img.Row(img.Rect.Min.X, img.Rect.Max.X, y))
			}
			continue
		}
		f.Host = host{w, v, effects[:i]}
		err := w.deepEffect(v, &effects[i], f, img)
		if stopped := w.ctx.Err(); stopped != nil {
			return stopped
		}
		if err != nil {
			w.r.mar(fmt.Sprintf("%seffect '%s' is left out: %v", w.r.about(v.comp.Item, v.layer.Layer), e.Name, err))
			continue
		}
		w.r.tones.limit(img)
	}
	return nil
}

// deepEffect draws one effect of v, as much of it as its compositing options say.
func (w *worker) deepEffect(v view, e *scene.Effect, f *effect.Frame, img *deep.Image) error {
	if !e.Limit.Partial() {
		return w.drawDeep(e.Effect, f, img)
	}
	out := w.r.deepSurfaces.get(img.Rect)
	defer w.r.deepSurfaces.put(out)
	deep.Copy(out, img)
	if err := w.drawDeep(e.Effect, f, out); err != nil {
		return err
	}
	where := image.NewAlpha(img.Rect)
	if masks := w.masksOf(e.Limit.Masks, v.t, v.t); len(masks) > 0 {
		where = w.combine(masks, v.m, img.Rect)
	} else {
		for i := range where.Pix {
			where.Pix[i] = 255
		}
	}
	deep.Mix(img, out, deep.MaskOf(where), e.Limit.Opacity(w.eval, v.t))
	return nil
}

// drawDeep draws an effect in as many bits as it can be drawn with.
func (w *worker) drawDeep(e effect.Effect, f *effect.Frame, img *deep.Image) error {
	inked := *f
	if w.r.tones.LinearLayers {
		inked.Ink = w.r.tones.ink
	}
	switch e := e.(type) {
	case effect.Tone:
		if of := e.Tone(&inked); of != nil {
			deep.Recolor(img, of)
		}
		return nil
	case effect.Deep:
		return e.DrawDeep(&inked, img)
	}
	return w.effectInBytes(e, f, img)
}

// effectInBytes draws an effect in bytes, and keeps those pixels that it does not change.
func (w *worker) effectInBytes(e effect.Effect, f *effect.Frame, img *deep.Image) error {
	t := w.r.tones
	own := w.r.deepSurfaces.get(img.Rect)
	defer w.r.deepSurfaces.put(own)
	deep.Copy(own, img)
	t.fromLayer(own)
	before, after := w.r.surfaces.get(img.Rect), w.r.surfaces.get(img.Rect)
	defer w.r.surfaces.put(before)
	defer w.r.surfaces.put(after)
	deep.ToBytes(before, own)
	copy(after.Pix, before.Pix)
	if err := e.Draw(f, after); err != nil {
		return err
	}
	deep.FromBytes(own, after)
	t.toLayer(own)
	keepChanges(img, own, before, after)
	return nil
}
