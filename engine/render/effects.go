package render

import (
	"errors"
	"fmt"
	"image"
	"math"
	"slices"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/effect"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/scene"
)

// moment is what the effects of v are drawn for; m maps pixels of the layer to those of their picture.
func (w *worker) moment(v view, m geom.Matrix) *effect.Frame {
	return &effect.Frame{Time: v.t, Rate: v.comp.FrameRate, Eval: w.eval, Size: v.layer.Size(), Matrix: m, Host: host{w: w, v: v}}
}

// apply draws effects of v on img, in order. One that fails leaves the picture as it is, with a warning.
func (w *worker) apply(v view, effects []scene.Effect, f *effect.Frame, img *raster.Image) error {
	for i, e := range effects {
		if e.Effect == nil {
			clear(img.Pix)
			continue
		}
		f.Host = host{w, v, effects[:i]}
		err := w.effect(v, &effects[i], f, img)
		if stopped := w.ctx.Err(); stopped != nil {
			return stopped
		}
		if err != nil {
			w.r.mar(fmt.Sprintf("%seffect '%s' is left out: %v", w.r.about(v.comp.Item, v.layer.Layer), e.Name, err))
		}
	}
	return nil
}

// effect draws one effect of v, as much of it as its compositing options say.
func (w *worker) effect(v view, e *scene.Effect, f *effect.Frame, img *raster.Image) error {
	if !e.Limit.Partial() {
		return e.Draw(f, img)
	}
	out := w.r.surfaces.get(img.Rect)
	defer w.r.surfaces.put(out)
	copy(out.Pix, img.Pix)
	if err := e.Draw(f, img); err != nil {
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
	raster.Mix(out, img, where, e.Limit.Opacity(w.eval, v.t))
	copy(img.Pix, out.Pix)
	return nil
}

// host is what an effect of a layer may ask of a worker.
type host struct {
	w      *worker
	v      view
	before []scene.Effect // the effects above it in the list, which are drawn first
}

// Surface implements effect.Host.
func (h host) Surface(bounds image.Rectangle) (*raster.Image, func()) {
	img := h.w.r.surfaces.get(bounds)
	return img, func() { h.w.r.surfaces.put(img) }
}

// Paint implements effect.Host.
func (h host) Paint(dst *raster.Image, s *raster.Shape, m geom.Matrix) { h.w.paint(dst, s, m) }

// Layer implements effect.Host.
func (h host) Layer(other effect.Chosen, scale float64) (*raster.Image, func(), error) {
	w := h.w
	defer func(at *scene.Layer) { w.at = at }(w.at)
	l := h.v.comp.Layer(other.ID)
	if l == nil || !active(l.Layer, h.v.t) {
		return nil, nil, nil
	}
	own := view{stage: h.v.stage, layer: l, m: geom.Scale(scale, scale)}
	if l.Centred() {
		own.stage.m = own.m
		own = w.view(own.stage, l)
	}
	d, err := w.prepare(own)
	if d == nil || err != nil {
		return nil, nil, err
	}
	size := l.Size()
	bounds := raster.PixelRect(geom.Rect{MaxX: size.X * scale, MaxY: size.Y * scale})
	if bounds.Dx()*bounds.Dy() > maxPixels {
		return nil, nil, errors.New("the layer that it refers to is too large")
	}
	img, release := h.Surface(bounds)
	if err := w.part(img, own, d, other.Part); err != nil {
		release()
		return nil, nil, err
	}
	return img, release, nil
}

// part draws a layer for the effect of another, as much of it as counts there.
func (w *worker) part(img *raster.Image, v view, d *drawing, which aep.LayerPart) error {
	if err := d.draw(img, 1, raster.Normal); err != nil || which == aep.LayerSource {
		return err
	}
	if masks := w.masks(v); len(masks) > 0 {
		raster.MultiplyAlpha(img, w.combine(masks, v.m, img.Rect))
	}
	if which != aep.LayerWithEffects || len(v.layer.Effects) == 0 {
		return nil
	}
	done, err := w.nested()
	if err != nil {
		return err
	}
	defer done()
	m := v.m
	if v.layer.Centred() {
		m = v.stage.m
	}
	return w.apply(v, v.layer.Effects, w.moment(v, m), img)
}

// Text implements effect.Host.
func (h host) Text(size, tracking float64, line string) (geom.Outline, float64, error) {
	fonts := h.w.r.opt.Fonts
	if fonts == nil {
		return geom.Outline{}, 0, errNoFonts
	}
	style := aep.CharacterStyle{Size: size, Tracking: tracking, HScale: 100, VScale: 100, AutoLeading: true, ApplyFill: true}
	h.w.r.layouts.mu.Lock()
	defer h.w.r.layouts.mu.Unlock()
	layout, err := fonts.Layout(&aep.TextDocument{Text: line, Runs: []aep.TextRun{{Length: len(line) + 1, Style: style}}})
	if err != nil {
		return geom.Outline{}, 0, err
	}
	var out geom.Outline
	for i := range layout.Shapes {
		out.Append(layout.Shapes[i].Outline)
	}
	if len(layout.Lines) == 0 {
		return out, 0, nil
	}
	return out, layout.Lines[0].Width, nil
}

// Sound implements effect.Host.
func (h host) Sound(id uint32, from, length float64) ([]float32, float64, error) {
	w := h.w
	l := h.v.comp.Layer(id)
	switch {
	case l == nil || l.Source == nil || !active(l.Layer, h.v.t):
		return nil, audio.Rate, nil
	case l.Source.Footage == nil || !l.Source.Footage.HasAudio || l.Source.Footage.File.Resolved == "":
		return nil, audio.Rate, nil
	}
	v := view{stage: h.v.stage, layer: l}
	v.t = from
	at, heard := w.sourceTime(v, footageLength(l.Source.Footage))
	v.t = from + length
	end, lasts := w.sourceTime(v, footageLength(l.Source.Footage))
	if !heard {
		return nil, audio.Rate, nil
	}
	speed := 1.0
	if lasts {
		speed = (end - at) / length
	}
	if fast := math.Abs(speed); !(fast > 0.01 && fast < 100) {
		return nil, audio.Rate, nil // too slow or fast to be heard
	}
	samples, err := w.r.sounds.Read(w.ctx, l.Source.Footage.File.Resolved, min(at, at+speed*length), math.Abs(speed)*length)
	if speed < 0 {
		samples = slices.Clone(samples)
		slices.Reverse(samples)
	}
	return samples, audio.Rate * math.Abs(speed), err
}

// maxElsewhen is how deep effects that show other times may show each other: each may show a hundred.
const maxElsewhen = 2

// maxShows is how many pictures of other times effects may ask for in one frame.
const maxShows = 2000

// nested begins the drawing of effects for another effect; done ends it.
func (w *worker) nested() (done func(), err error) {
	if w.elsewhen >= maxElsewhen {
		return nil, effect.ErrDeep
	}
	if w.shows++; w.shows > maxShows {
		return nil, effect.ErrMany
	}
	w.elsewhen++
	at := w.at
	return func() { w.elsewhen--; w.at = at }, nil
}

// Original implements effect.Host.
func (h host) Original(bounds image.Rectangle) (*raster.Image, func(), error) {
	return host{h.w, h.v, nil}.At(h.v.t, bounds)
}

// At implements effect.Host.
func (h host) At(seconds float64, bounds image.Rectangle) (*raster.Image, func(), error) {
	w := h.w
	done, err := w.nested()
	if err != nil {
		return nil, nil, err
	}
	defer done()
	img, release := h.Surface(bounds)
	v := h.v
	v.t, v.fresh = seconds, false
	if err := w.before(img, v, h.before); err != nil {
		release()
		return nil, nil, err
	}
	return img, release, nil
}

// before draws what comes to an effect of v, after the effects above it. For an adjustment layer that is all the layers below.
func (w *worker) before(img *raster.Image, v view, effects []scene.Effect) error {
	if v.layer.Adjustment {
		if !active(v.layer.Layer, v.t) {
			return nil
		}
		shown := w.shown(v.stage)
		for i := range shown {
			if shown[i].layer == v.layer {
				break
			}
			if err := w.layer(img, &shown[i]); err != nil {
				return err
			}
		}
		return w.apply(v, effects, w.moment(v, v.m), img)
	}
	if !active(v.layer.Layer, v.t) {
		return nil
	}
	m := v.m
	if v.layer.Vector() && !v.own {
		v = w.view(v.stage, v.layer)
		m = v.stage.m
	}
	d, err := w.prepare(v)
	if d == nil || err != nil {
		return err
	}
	if err := d.draw(img, 1, raster.Normal); err != nil {
		return err
	}
	if masks := w.masks(v); len(masks) > 0 {
		raster.MultiplyAlpha(img, w.combine(masks, v.m, img.Rect))
	}
	return w.apply(v, effects, w.moment(v, m), img)
}
