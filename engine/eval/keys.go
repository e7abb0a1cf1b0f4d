package eval

import (
	"math"
	"slices"
	"sort"

	"overcrank/aep"
)

// sameTime is the largest difference between two times that count as the same, in seconds: far less than a frame, more
// than rounding errors.
const sameTime = 1e-6

// Plain is the value without the expression.
func Plain(ref Ref, t float64) aep.Value {
	p := ref.Prop
	if len(p.Keys) == 0 {
		return p.Value
	}
	if ref.Layer != nil {
		t = LocalTime(ref.Layer, t)
	}
	return atLocal(p, t)
}

// atLocal is the value of p without its expression at layer-local time t.
func atLocal(p *aep.Property, t float64) aep.Value {
	keys := p.Keys
	if len(keys) == 0 {
		return p.Value
	}
	i := sort.Search(len(keys), func(i int) bool { return keys[i].Time > t+sameTime })
	if i == 0 {
		return keys[0].Value
	}
	if i == len(keys) || keys[i-1].Out == aep.Hold || t-keys[i-1].Time <= sameTime {
		return keys[i-1].Value
	}
	return between(p, i-1, t)
}

// around are the values of the keyframes around t, and how far t lies between them.
func around(ref Ref, t float64) (from, to aep.Value, progress float64) {
	if ref.Layer != nil {
		t = LocalTime(ref.Layer, t)
	}
	v, keys := atLocal(ref.Prop, t), ref.Prop.Keys
	i := sort.Search(len(keys), func(i int) bool { return keys[i].Time > t+sameTime })
	if i == 0 || i == len(keys) || keys[i-1].Out == aep.Hold || t-keys[i-1].Time <= sameTime {
		return v, v, 0
	}
	return keys[i-1].Value, keys[i].Value, share(&keys[i-1], &keys[i], t)
}

// between interpolates in the segment that begins with key i.
func between(p *aep.Property, i int, t float64) aep.Value {
	a, b := &p.Keys[i], &p.Keys[i+1]
	if p.Spatial {
		if v, ok := spatial(p.Keys, i, t); ok {
			return v
		}
	}
	switch av := a.Value.(type) {
	case aep.Numbers:
		bv, ok := b.Value.(aep.Numbers)
		if !ok || len(bv) != len(av) {
			return av
		}
		if p.Color {
			return mix(av, bv, share(a, b, t))
		}
		out := make(aep.Numbers, len(av))
		for d := range av {
			out[d] = eased(a, b, d, av[d], bv[d], t)
		}
		return out
	case *aep.Path:
		if bv, ok := b.Value.(*aep.Path); ok {
			return mixPath(av, bv, share(a, b, t))
		}
	case *aep.Gradient:
		if bv, ok := b.Value.(*aep.Gradient); ok {
			return mixGradient(av, bv, share(a, b, t))
		}
	}
	return a.Value
}

// share is the progress from a to b at t, 0 to 1, for values that are not numbers: the ease applies to the progress
// itself.
func share(a, b *aep.Keyframe, t float64) float64 {
	return math.Min(1, math.Max(0, eased(a, b, 0, 0, 1, t)))
}

// linearInfluence is the influence of a linear side in a segment whose other side is not linear.
const linearInfluence = 1.0 / 6

// eased interpolates one dimension from v0 to v1. The graph of value over time between two keyframes is a cubic Bézier
// curve: each handle reaches influence×duration into the segment with the slope of its speed.
func eased(a, b *aep.Keyframe, dim int, v0, v1, t float64) float64 {
	dt := b.Time - a.Time
	if dt <= 0 {
		return v1
	}
	x := (t - a.Time) / dt
	if a.Out != aep.Bezier && b.In != aep.Bezier {
		return v0 + (v1-v0)*x
	}
	out, in := handles(a, b, dim, v0, v1)
	s := solveX(out.Influence, 1-in.Influence, x)
	return bezier(v0, v0+out.Speed*out.Influence*dt, v1-in.Speed*in.Influence*dt, v1, s)
}

// handles are the eases of a dimension on both sides of a segment that is not linear, and of which the time is not 0.
func handles(a, b *aep.Keyframe, dim int, v0, v1 float64) (out, in aep.Ease) {
	linear := aep.Ease{Speed: (v1 - v0) / (b.Time - a.Time), Influence: linearInfluence}
	out, in = linear, linear
	if a.Out == aep.Bezier {
		out = ease(a.OutEase, dim, linear)
	}
	if b.In == aep.Bezier {
		in = ease(b.InEase, dim, linear)
	}
	return out, in
}

func ease(eases []aep.Ease, dim int, def aep.Ease) aep.Ease {
	if len(eases) == 0 {
		return def
	}
	e := eases[min(dim, len(eases)-1)]
	e.Influence = math.Min(1, math.Max(0, e.Influence))
	return e
}

// solveX finds the parameter at which the curve with the controls x1 and x2, between 0 and 1, has the value x. The curve
// is monotonic, so bisection finds it where Newton's method stalls.
func solveX(x1, x2, x float64) float64 {
	lo, hi, s := 0.0, 1.0, x
	for range 40 {
		d := bezier(0, x1, x2, 1, s) - x
		if math.Abs(d) < 1e-9 {
			break
		}
		if d > 0 {
			hi = s
		} else {
			lo = s
		}
		slope := 3*(1-s)*(1-s)*x1 + 6*(1-s)*s*(x2-x1) + 3*s*s*(1-x2)
		next := s - d/slope
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		s = next
	}
	return s
}

func bezier(a, b, c, d, t float64) float64 {
	s := 1 - t
	return s*s*s*a + 3*s*s*t*b + 3*s*t*t*c + t*t*t*d
}

func mix(a, b aep.Numbers, k float64) aep.Numbers {
	out := make(aep.Numbers, len(a))
	for i := range a {
		out[i] = a[i] + (b[i]-a[i])*k
	}
	return out
}

// mixPath moves every vertex towards its counterpart. For paths with different numbers of vertices the first path stays.
func mixPath(a, b *aep.Path, k float64) *aep.Path {
	if len(a.Vertices) != len(b.Vertices) {
		return a
	}
	out := &aep.Path{Closed: a.Closed, Vertices: make([]aep.Vertex, len(a.Vertices))}
	for i, v := range a.Vertices {
		w := b.Vertices[i]
		out.Vertices[i] = aep.Vertex{
			X: v.X + (w.X-v.X)*k, Y: v.Y + (w.Y-v.Y)*k,
			InX: v.InX + (w.InX-v.InX)*k, InY: v.InY + (w.InY-v.InY)*k,
			OutX: v.OutX + (w.OutX-v.OutX)*k, OutY: v.OutY + (w.OutY-v.OutY)*k,
		}
	}
	out.Feather = mixFeather(a.Feather, b.Feather, k)
	return out
}

// mixFeather moves every feather point towards its counterpart. Where their numbers differ the first ones stay.
func mixFeather(a, b []aep.FeatherPoint, k float64) []aep.FeatherPoint {
	if len(a) != len(b) {
		return a
	}
	out := slices.Clone(a)
	for i := range out {
		p := &out[i]
		at := float64(p.Segment) + p.At
		at += (float64(b[i].Segment) + b[i].At - at) * k
		p.Segment = int(at)
		p.At = at - float64(p.Segment)
		p.Radius += (b[i].Radius - p.Radius) * k
	}
	return out
}

func mixGradient(a, b *aep.Gradient, k float64) *aep.Gradient {
	if len(a.Colors) != len(b.Colors) || len(a.Alphas) != len(b.Alphas) {
		return a
	}
	lerp := func(x, y float64) float64 { return x + (y-x)*k }
	out := &aep.Gradient{Colors: make([]aep.ColorStop, len(a.Colors)), Alphas: make([]aep.AlphaStop, len(a.Alphas))}
	for i, s := range a.Colors {
		e := b.Colors[i]
		c := aep.ColorStop{Offset: lerp(s.Offset, e.Offset), Midpoint: lerp(s.Midpoint, e.Midpoint)}
		for j := range c.RGB {
			c.RGB[j] = lerp(s.RGB[j], e.RGB[j])
		}
		out.Colors[i] = c
	}
	for i, s := range a.Alphas {
		e := b.Alphas[i]
		out.Alphas[i] = aep.AlphaStop{Offset: lerp(s.Offset, e.Offset), Midpoint: lerp(s.Midpoint, e.Midpoint), Alpha: lerp(s.Alpha, e.Alpha)}
	}
	return out
}
