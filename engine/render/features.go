package render

import (
	"fmt"
	"math"
	"strings"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// warnWhole warns of what is drawn differently throughout the composition.
func (r *Renderer) warnWhole() {
	where := fmt.Sprintf("composition '%s': ", r.comp.Name)
	if a := aspect(r.comp.Comp.PixelAspect); unlike(a, 1) {
		r.warned.say(fmt.Sprintf("%sits pixels of %.3g:1 are written as square ones by the embedded engine", where, a))
	}
	if bits := r.project.BitsPerChannel; bits > 16 {
		r.warned.say(fmt.Sprintf("%sthe project's %d bits per channel are drawn with 8 by the embedded engine", where, bits))
	}
}

// warnLayer warns of features of a layer of any kind that are not drawn.
func (w *worker) warnLayer(v view) {
	l := v.layer
	if l.ThreeD {
		w.r.undrawn(v, "the depth of a 3D layer")
	}
	// Render settings blur all marked layers, whatever the composition's own switch says.
	if l.MotionBlur && moves(v.comp.Comp, l) {
		w.r.undrawn(v, "motion blur")
	}
	source := w.r.project.Item(l.Source)
	if l.FrameBlend && mixesFrames(v.comp.Comp, l, source) {
		w.r.undrawn(v, "frame blending")
	}
	if a, b := sourceAspect(source), aspect(v.comp.Comp.PixelAspect); a != 0 && unlike(a, b) {
		w.r.undrawn(v, fmt.Sprintf("a source with pixels of %.3g:1 among pixels of %.3g:1", a, b))
	}
	if overrides(l) {
		w.r.undrawn(v, "a value of its own for an essential property")
	}
	w.warnStyles(v)
}

// maxHung limits how many parents are checked.
const maxHung = 16

// moves tells whether the transform of a layer, or of one of its parents, changes over time.
func moves(c *aep.Composition, l *aep.Layer) bool {
	for range maxHung {
		if l == nil {
			return false
		}
		if eval.Varies(l.Props.Child("ADBE Transform Group")) {
			return true
		}
		l = eval.LayerByID(c, l.Parent)
	}
	return true
}

// mixesFrames tells whether frame blending would be visible in a layer: its source has frames of its own, at other times
// than the composition's.
func mixesFrames(c *aep.Composition, l *aep.Layer, source *aep.Item) bool {
	switch {
	case source == nil:
		return false
	case source.Footage != nil:
		f := source.Footage
		if f.Still || !f.HasVideo || f.Kind != aep.FootageFile {
			return false
		}
		return l.Stretch != 100 || remapped(l) || unlike(f.FrameRate, c.FrameRate)
	}
	return l.Stretch != 100 || remapped(l)
}

// aspect is the width of a pixel divided by its height; files that do not say mean square pixels.
func aspect(a float64) float64 {
	if a > 0 {
		return a
	}
	return 1
}

// sourceAspect is the aspect of an item's pixels, 0 when it has none.
func sourceAspect(it *aep.Item) float64 {
	switch {
	case it == nil:
	case it.Comp != nil:
		return aspect(it.Comp.PixelAspect)
	case it.Footage != nil && it.Footage.Width > 0:
		return aspect(it.Footage.PixelAspect)
	}
	return 0
}

// unlike tells whether two rates or aspects differ by more than their rounding in files.
func unlike(a, b float64) bool { return math.Abs(a-b) > 0.005*math.Max(a, b) }

// overrides tells whether a layer has its own values for fields of its source's Essential Graphics panel.
func overrides(l *aep.Layer) bool {
	group := l.Props.Child("ADBE Layer Overrides")
	return group != nil && len(group.Children) > 0
}

// warnStyles warns of the layer styles that are on.
func (w *worker) warnStyles(v view) {
	styles := v.layer.Props.Child("ADBE Layer Styles")
	if styles == nil || !styles.Enabled || styles.Hidden {
		return
	}
	for _, s := range styles.Children {
		if s.Group && s.Enabled && !s.Hidden && len(s.Children) > 0 && s.Match != "ADBE Blend Options Group" {
			w.r.undrawn(v, "layer style '"+displayName(s)+"'")
		}
	}
}

// warnAdjustment warns of features that have no effect on an adjustment layer.
func (w *worker) warnAdjustment(v view) {
	if !isNormal(v.layer.Blend) {
		w.r.undrawn(v, "the blend mode of an adjustment layer")
	}
	if v.layer.Matte != aep.MatteNone {
		w.r.undrawn(v, "the track matte of an adjustment layer")
	}
}

// warnCompositing warns when an effect is drawn fully although its compositing options limit it.
func (w *worker) warnCompositing(v view, effect *aep.Property) {
	options := effect.Child("ADBE Effect Built In Params")
	masks := options.Child("ADBE Effect Mask Parade")
	if w.number(v, options, "ADBE Effect Mask Opacity", 100) != 100 || masks != nil && len(masks.Children) > 0 {
		w.r.undrawn(v, "the compositing options of effect '"+displayName(effect)+"'")
	}
}

// warnDirection warns when an effect is drawn along the axes of the picture although the layer's point elsewhere.
func (w *worker) warnDirection(u effectUse) {
	m := u.params.v.m
	const straight = 1e-6
	turned := math.Abs(m.B) > straight || math.Abs(m.C) > straight || m.A < 0 || m.D < 0
	if turned && u.directed != nil && u.directed(u.params) {
		w.r.undrawn(u.params.v, "the rotation of effect '"+displayName(u.params.group)+"' together with its layer")
	}
}

// warnStroke warns of features of a shape layer's stroke that are not drawn.
func (b *shapeBuilder) warnStroke(p *aep.Property) {
	taper, wave := p.Child("ADBE Vector Stroke Taper"), p.Child("ADBE Vector Stroke Wave")
	if b.number(taper, "ADBE Vector Taper Start Length", 0) > 0 || b.number(taper, "ADBE Vector Taper End Length", 0) > 0 {
		b.w.r.undrawn(b.v, "the taper of '"+displayName(p)+"'")
	}
	if b.number(wave, "ADBE Vector Taper Wave Amount", 0) > 0 {
		b.w.r.undrawn(b.v, "the wave of '"+displayName(p)+"'")
	}
}

// warnSoundEffects warns of effects on a layer's sound.
func (r *Renderer) warnSoundEffects(v view) {
	group := v.layer.Props.Child("ADBE Effect Parade")
	if group == nil || !v.layer.EffectsEnabled {
		return
	}
	for _, p := range group.Children {
		if p.Enabled && p.Group && strings.HasPrefix(p.Match, soundEffect) {
			r.undrawn(v, "effect '"+displayName(p)+"'")
		}
	}
}

// soundEffect begins the match names of effects that change sound; those that draw a sound have no space after "Aud".
const soundEffect = "ADBE Aud "

func displayName(p *aep.Property) string {
	if p.Name != "" {
		return p.Name
	}
	return p.Match
}
