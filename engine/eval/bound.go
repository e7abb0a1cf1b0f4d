package eval

import (
	"math"

	"overcrank/aep"
)

// Bound is the largest amount of the first n numbers at any time; infinite where it is not known without running expressions.
func (v *Vector) Bound(n int) float64 {
	most := 0.0
	grow := func(number float64) { most = math.Max(most, math.Abs(number)) }
	for _, number := range v.value[:n] {
		grow(number)
	}
	if v.varies {
		p := v.ref.Prop
		if Driven(p) || p.Separated || p.Spatial || p.Color {
			return math.Inf(1)
		}
		for i := range p.Keys {
			reach(p.Keys[max(0, i-1):i+1], n, grow)
		}
	}
	if math.IsNaN(most) {
		return math.Inf(1)
	}
	return most
}

// reach gives what the last of one or two keyframes has of the first n numbers, and the controls of the curves that lead to it, which lie within
// them.
func reach(keys []aep.Keyframe, n int, grow func(float64)) {
	a, b := &keys[0], &keys[len(keys)-1]
	from, to := numbers(a.Value), numbers(b.Value)
	dt := b.Time - a.Time
	for d := range to[:min(n, len(to))] {
		grow(to[d])
		if dt > 0 && d < len(from) {
			out, in := handles(a, b, d, from[d], to[d])
			grow(from[d] + out.Speed*out.Influence*dt)
			grow(to[d] - in.Speed*in.Influence*dt)
		}
	}
}
