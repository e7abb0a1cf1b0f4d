package render

import (
	"strings"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// effect is an effect that can be drawn. A new one is a file with a value of this type and a line in effects.
type effect struct {
	// reach is how far, in pixels of the target, it paints beyond what the layer holds; nil for those that don't.
	reach func(p params) int
	// apply changes img, which holds the layer in pixels of the target.
	apply func(p params, img *raster.Image)
	// directed is whether it looks different along the layer's axes, though it is drawn along those of the target; nil for those that
	// don't.
	directed func(p params) bool
}

// effects is the table of effects that can be drawn, by match name.
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

// replacers are effects that paint over what the layer holds. Where one can't be drawn the layer is left out, since
// what lies under the effect was never meant to be seen.
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

// share is a parameter shown as a percentage, as 0 to 1. Some effects count those in hundredths, some in whole percent.
func (p params) share(match string, def float64) float64 {
	v := p.number(match, def)
	if v > 1 {
		v /= 100
	}
	return max(0, min(1, v))
}

// scale is how large a pixel of the layer is on the target.
func (p params) scale() float64 { return p.v.m.MeanScale() }

// channel is a premultiplied channel of a pixel of alpha a, rounded; 0 for what is no number.
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

// maxReach bounds, in pixels, how far the effects of a layer may widen it.
const maxReach = 2000

// effects are the effects of the layer that can be drawn, in their order; the others are warned of.
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

// state tells the values of all parameters of the effects and masks of a layer at a time from others, so that a surface
// can be kept while they stay the same even where an expression gives them.
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
