package render

import (
	"strings"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// effect is an effect that can be drawn. A new one is a file with a value of this type and a line in effects.
type effect struct {
	// reach is how far, in pixels of the target, it paints beyond what the layer holds; nil for those that don't.
	reach func(p params) int
	// apply changes img, which holds the layer in pixels of the target.
	apply func(p params, img *raster.Image)
}

// effects is the table of effects that can be drawn, by match name.
var effects = map[string]effect{
	"ADBE Fill":            fillEffect,
	"ADBE Tint":            tintEffect,
	"ADBE Drop Shadow":     dropShadowEffect,
	"ADBE Gaussian Blur":   gaussianBlurEffect,
	"ADBE Gaussian Blur 2": gaussianBlurEffect,
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

// scale is how large a pixel of the layer is on the target.
func (p params) scale() float64 { return p.v.m.MeanScale() }

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

// maxReach bounds, in pixels, how far an effect may widen a layer.
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
		e, ok := effects[p.Match]
		if !ok {
			w.r.undrawn(v, "effect '"+displayName(p)+"'")
			continue
		}
		out = append(out, effectUse{e, params{w, v, p}})
	}
	return out
}
