package render

import (
	"strings"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// effect is an effect that can be drawn. To add one, add a file with a value of this type and a line in effects.
type effect struct {
	// reach is how far it paints beyond the layer, in pixels of the target; nil for effects that do not.
	reach func(p params) int
	// apply changes img, which contains the layer in pixels of the target.
	apply func(p params, img *raster.Image)
	// directed tells whether the effect should follow the layer's axes, although it is drawn along those of the target;
	// nil for effects that do not.
	directed func(p params) bool
}

// effects are the effects that can be drawn, by match name.
func effects() map[string]effect {
	return map[string]effect{
		"ADBE AudSpect":        audioSpectrumEffect,
		"ADBE Change To Color": changeToColorEffect,
		"ADBE Drop Shadow":     dropShadowEffect,
		"ADBE Fill":            fillEffect,
		"ADBE Gaussian Blur":   gaussianBlurEffect,
		"ADBE Gaussian Blur 2": gaussianBlurEffect,
		"ADBE Invert":          invertEffect,
		"ADBE Ramp":            rampEffect,
		"ADBE Tint":            tintEffect,
	}
}

// replacers are effects that replace the layer's picture. If one cannot be drawn the layer is left out, since the
// picture under the effect was never meant to be seen.
var replacers = map[string]bool{
	"ADBE AudWave": true, "ADBE Fractal Noise": true, "ADBE Cell Pattern": true, "ADBE Lightning 2": true,
	"APC Radio Waves": true, "CC Particle World": true, "CC Particle Systems II": true, "ADBE Playgnd": true,
	"ADBE Write-on": true, "APC Vegas": true, "ADBE Basic Text2": true, "ADBE Numbers2": true, "ADBE Timecode": true,
	"tc Particular": true, "tc Form": true, "VIDEOCOPILOT 3DArray": true, "VIDEOCOPILOT OpticalFlares": true,
}

// controls are effects that only hold values for expressions.
var controls = map[string]bool{
	"ADBE Slider Control": true, "ADBE Checkbox Control": true, "ADBE Color Control": true, "ADBE Point Control": true,
	"ADBE Point3D Control": true, "ADBE Angle Control": true, "ADBE Layer Control": true, "ADBE Dropdown Control": true,
}

// params are the parameters of an effect of a layer at a time.
type params struct {
	w     *worker
	v     view
	group *aep.Property
}

func (p params) number(match string, def float64) float64 {
	return p.w.number(p.v, p.group, match, def)
}

func (p params) color(match string, def [4]float64) [4]float64 {
	return p.w.color(p.v, p.group, match, def)
}

// share is a percentage as 0 to 1. Some effects store percentages as fractions, some as whole percent.
func (p params) share(match string, def float64) float64 {
	v := p.number(match, def)
	if v > 1 {
		v /= 100
	}
	return max(0, min(1, v))
}

// scale is the size of a pixel of the layer on the target.
func (p params) scale() float64 { return p.v.m.MeanScale() }

// channel is a premultiplied channel, rounded, of a pixel with alpha a; 0 for a value that is not a number.
func channel(v, a float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(v, a) + 0.5)
}

// effectUse is an effect with its parameters.
type effectUse struct {
	effect
	params params
}

func (u effectUse) reach() int {
	if u.effect.reach == nil {
		return 0
	}
	return max(0, min(u.effect.reach(u.params), maxReach))
}

func (u effectUse) apply(img *raster.Image) { u.effect.apply(u.params, img) }

// maxReach limits how far the effects of a layer may extend it, in pixels.
const maxReach = 2000

// effects are the layer's effects that can be drawn, in order; it warns of the others.
func (w *worker) effects(v view) []effectUse {
	group := v.layer.Props.Child("ADBE Effect Parade")
	if group == nil || !v.layer.EffectsEnabled {
		return nil
	}
	var out []effectUse
	for _, p := range group.Children {
		if !p.Enabled || !p.Group || controls[p.Match] || strings.HasPrefix(p.Match, "Pseudo/") {
			continue
		}
		e, ok := w.r.effects[p.Match]
		if !ok {
			w.r.undrawn(v, "effect '"+displayName(p)+"'")
			if !replacers[p.Match] {
				continue
			}
			e = effect{apply: func(_ params, img *raster.Image) { clear(img.Pix) }}
		}
		w.warnCompositing(v, p)
		use := effectUse{e, params{w, v, p}}
		w.warnDirection(use)
		out = append(out, use)
	}
	return out
}

// state identifies the values of all parameters of the layer's effects and masks at a time, so that a surface can be
// kept while they stay the same, even if they come from an expression.
func (w *worker) state(v view) uint64 {
	h := newHash()
	for _, match := range [...]string{"ADBE Effect Parade", "ADBE Mask Parade"} {
		if group := v.layer.Props.Child(match); eval.Varies(group) {
			w.mix(h, v, group)
		}
	}
	return h.Sum64()
}

func (w *worker) mix(h *hash, v view, p *aep.Property) {
	for _, c := range p.Children {
		w.mix(h, v, c)
	}
	if p.Group || len(p.Keys) == 0 && !eval.Driven(p) {
		return
	}
	if n, ok := w.eval.Value(v.at(p), v.t).(aep.Numbers); ok {
		h.add(n...)
		return
	}
	h.add(v.t)
}
