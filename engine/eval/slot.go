package eval

import (
	"slices"

	"overcrank/aep"
)

// Slot is a property of a layer, found once instead of by its name in every frame. The zero Slot is a property that the layer lacks.
type Slot struct {
	ref    Ref
	varies bool
	fixed  aep.Value // while it does not vary
}

// SlotOf is the slot of a property, which must not change any more; ref.Prop may be nil.
func SlotOf(ref Ref) Slot {
	if ref.Prop == nil || ref.Prop.Group {
		return Slot{}
	}
	s := Slot{ref: ref, varies: Varies(ref.Prop) || ref.Prop.Separated}
	if !s.varies {
		s.fixed = Plain(ref, 0)
	}
	return s
}

// Has tells whether the layer has the property.
func (s *Slot) Has() bool { return s.ref.Prop != nil }

// Varies tells whether the value may change over time.
func (s *Slot) Varies() bool { return s.varies }

// Prop is the property; nil when the layer lacks it.
func (s *Slot) Prop() *aep.Property { return s.ref.Prop }

// First is the value of the first keyframe, or the static one, without the expression.
func (s *Slot) First() aep.Value {
	switch {
	case !s.varies:
		return s.fixed
	case len(s.ref.Prop.Keys) > 0:
		return s.ref.Prop.Keys[0].Value
	}
	return s.ref.Prop.Value
}

// At is the value at composition time t; nil when the layer lacks the property.
func (s *Slot) At(e *Evaluator, t float64) aep.Value {
	if !s.varies {
		return s.fixed
	}
	return e.Value(s.ref, t)
}

// Around are the values of the keyframes around composition time t, and how far t lies on the way from the first to the second, 0 to 1. Where
// there is one value both are it. It is for values that only their owner can mix; expressions have none.
func (s *Slot) Around(t float64) (from, to aep.Value, share float64) {
	if s.ref.Prop == nil {
		return nil, nil, 0
	}
	return around(s.ref, t)
}

// Number is a property of one number.
type Number struct {
	Slot
	value float64 // the first, or the default of a property that the layer lacks
}

// NumberOf is the number of a property; def when the layer lacks it.
func NumberOf(ref Ref, def float64) Number {
	n := Number{Slot: SlotOf(ref), value: def}
	if v := numbers(n.Slot.First()); len(v) > 0 {
		n.value = v[0]
	}
	return n
}

// At is the number at composition time t.
func (n *Number) At(e *Evaluator, t float64) float64 {
	if n.varies {
		if v := numbers(e.Value(n.ref, t)); len(v) > 0 {
			return v[0]
		}
	}
	return n.value
}

// First is the number without a variation: that of the first keyframe, and without the expression.
func (n *Number) First() float64 { return n.value }

// May tells whether the number may be one of those that is tells: any of its keyframes, or what an expression might give.
func (n *Number) May(is func(v float64) bool) bool {
	p := n.ref.Prop
	switch {
	case !n.varies:
		return is(n.value)
	case len(p.Keys) == 0 || Driven(p):
		return true
	}
	return slices.ContainsFunc(p.Keys, func(k aep.Keyframe) bool {
		v := numbers(k.Value)
		return len(v) > 0 && is(v[0])
	})
}

// Vector is a property of up to four numbers: a position, a scale, a colour.
type Vector struct {
	Slot
	value [4]float64
}

// VectorOf is the vector of a property; what it lacks is taken from def.
func VectorOf(ref Ref, def [4]float64) Vector {
	v := Vector{Slot: SlotOf(ref), value: def}
	copy(v.value[:], numbers(v.First()))
	return v
}

// At is the vector at composition time t.
func (v *Vector) At(e *Evaluator, t float64) [4]float64 {
	out := v.value
	if v.varies {
		copy(out[:], numbers(e.Value(v.ref, t)))
	}
	return out
}
