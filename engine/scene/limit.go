package scene

import (
	"math"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// Limit are the compositing options of an effect: how much of it is seen, and where.
type Limit struct {
	opacity eval.Number
	full    float64 // the value of opacity at which all of the effect is seen
	Masks   []Mask  // where it is seen; none: everywhere
}

// Partial tells whether the effect may be seen in part.
func (l *Limit) Partial() bool {
	return len(l.Masks) > 0 || l.opacity.Varies() || l.full > 0 && l.opacity.First() < l.full
}

// Opacity is how much of the effect is seen at composition time t, 0 to 1.
func (l *Limit) Opacity(e *eval.Evaluator, t float64) float64 {
	return math.Max(0, math.Min(1, l.opacity.At(e, t)/l.full))
}

// limit finds the compositing options of the effect p.
func (l *Layer) limit(p *aep.Property, name string) Limit {
	options := p.Child("ADBE Effect Built In Params")
	opacity := options.Child("ADBE Effect Mask Opacity")
	out := Limit{opacity: eval.NumberOf(l.At(opacity), 100), full: opacityUnit(opacity)}
	masks := options.Child("ADBE Effect Mask Parade")
	if masks == nil {
		return out
	}
	for _, m := range masks.Children {
		mask, ok := l.referred(m.Child("ADBE Effect Path Stream Ref"))
		if !ok {
			l.lack("a mask of effect '"+name+"'", Named(aep.NeedEffect, name, p.Match))
			continue
		}
		out.Masks = append(out.Masks, mask)
	}
	return out
}

// opacityUnit is what a fully visible effect has: files hold fractions, scripts set per cent.
func opacityUnit(p *aep.Property) float64 {
	if p == nil || eval.Driven(p) {
		return 100
	}
	most := p.Float(100)
	for i := range p.Keys {
		if n, ok := p.Keys[i].Value.(aep.Numbers); ok && len(n) > 0 {
			most = math.Max(most, n[0])
		}
	}
	if most <= 1 {
		return 1
	}
	return 100
}

// referred is the mask of the layer that a property names by its number, from 1. One that does nothing for the layer itself adds.
func (l *Layer) referred(p *aep.Property) (Mask, bool) {
	parade := l.Props.Child("ADBE Mask Parade")
	left := p.Float(0)
	if parade == nil || !(left >= 1) {
		return Mask{}, false
	}
	for _, chosen := range parade.Children {
		if chosen.Mask == nil {
			continue
		}
		if left--; left < 1 {
			mask := l.mask(chosen)
			if mask.Mode == aep.MaskNone {
				mask.Mode = aep.MaskAdd
			}
			return mask, true
		}
	}
	return Mask{}, false
}
