package dom

import (
	"math"
	"slices"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// sameTime is the largest difference between two keyframe times that count as the same, in seconds.
const sameTime = 1e-5

func isMarker(p *aep.Property) bool { return p.Match == "ADBE Marker" }

// markers are the markers of a marker property: a layer's, or its composition's.
func (r *propRef) markers() *[]aep.Marker {
	if r.layer.l.Props == nil {
		return &r.layer.comp.Comp.Markers
	}
	return &r.layer.l.Markers
}

// compMarkers is the marker property of a composition.
func (s *session) compMarkers(r *itemRef) any {
	p := &aep.Property{Match: "ADBE Marker", Name: "Marker", Enabled: true}
	l := &layerRef{comp: r.item, l: &aep.Layer{Stretch: 100}}
	return s.classes.property.object(&propRef{layer: l, p: p})
}

func (s *session) defineKeys(c *class) {
	get(c, "numKeys", func(r *propRef) any {
		if isMarker(r.p) {
			return len(*r.markers())
		}
		return len(r.p.Keys)
	})
	method(c, "keyTime", func(r *propRef, a args) any {
		if isMarker(r.p) {
			return (*r.markers())[s.markerIndex(r, a.at(0))].Time
		}
		return eval.CompTime(r.layer.l, r.p.Keys[s.keyIndex(r, a.at(0))].Time)
	})
	method(c, "keyValue", func(r *propRef, a args) any {
		if isMarker(r.p) {
			return s.classes.marker.object(&markerObject{(*r.markers())[s.markerIndex(r, a.at(0))]})
		}
		return s.toScript(r.p, r.p.Keys[s.keyIndex(r, a.at(0))].Value)
	})
	method(c, "removeKey", func(r *propRef, a args) any {
		if isMarker(r.p) {
			m := r.markers()
			i := s.markerIndex(r, a.at(0))
			*m = slices.Delete(*m, i, i+1)
			return undefined()
		}
		i := s.keyIndex(r, a.at(0))
		last := r.p.Keys[i].Value
		r.p.Keys = slices.Delete(r.p.Keys, i, i+1)
		if len(r.p.Keys) == 0 {
			r.p.Value = last
		}
		return undefined()
	})
	method(c, "nearestKeyIndex", func(r *propRef, a args) any {
		best, at := math.Inf(1), 0
		for i, k := range r.p.Keys {
			if d := math.Abs(eval.CompTime(r.layer.l, k.Time) - a.num(0, 0)); d < best {
				best, at = d, i+1
			}
		}
		if at == 0 {
			s.throw("After Effects error: Unable to call \"nearestKeyIndex\": %q has no keyframes", r.displayName())
		}
		return at
	})
	s.defineSetters(c)
	s.defineInterpolation(c)
	for _, name := range []string{"setSelectedAtKey", "setLabelAtKey"} {
		method(c, name, func(*propRef, args) any { return undefined() })
	}
	method(c, "keySelected", func(*propRef, args) any { return false })
}

// defineSetters defines the methods that create keyframes and change their values.
func (s *session) defineSetters(c *class) {
	method(c, "addKey", func(r *propRef, a args) any {
		t := a.num(0, 0)
		return s.setKey(r, t, aep.CopyValue(eval.Plain(r.ref(), t))) + 1
	})
	method(c, "setValueAtTime", func(r *propRef, a args) any {
		a.need(2)
		s.setValueAtTime(r, a.num(0, 0), a.at(1))
		return undefined()
	})
	method(c, "setValuesAtTimes", func(r *propRef, a args) any {
		a.need(2)
		times := s.floats(a.at(0), "setValuesAtTimes")
		values, ok := a.at(1).(*goja.Object)
		if !ok || length(values) != len(times) {
			s.throw("After Effects error: Unable to call \"setValuesAtTimes\": it needs as many values as times")
		}
		for i, t := range times {
			s.setValueAtTime(r, t, values.Get(itoa(i)))
		}
		return undefined()
	})
	method(c, "setValueAtKey", func(r *propRef, a args) any {
		a.need(2)
		i := s.keyIndex(r, a.at(0))
		r.p.Keys[i].Value = s.fromScript(r, a.at(1))
		return undefined()
	})
}

func (s *session) defineInterpolation(c *class) {
	method(c, "isInterpolationTypeValid", func(r *propRef, a args) any { return true })
	method(c, "keyInInterpolationType", func(r *propRef, a args) any {
		return firstInterpolation - 1 + int(r.p.Keys[s.keyIndex(r, a.at(0))].In)
	})
	method(c, "keyOutInterpolationType", func(r *propRef, a args) any {
		return firstInterpolation - 1 + int(r.p.Keys[s.keyIndex(r, a.at(0))].Out)
	})
	method(c, "setInterpolationTypeAtKey", func(r *propRef, a args) any {
		k := &r.p.Keys[s.keyIndex(r, a.at(0))]
		k.In = aep.Interpolation(s.enumerated(a.at(1), "interpolation", firstInterpolation, 3) + 1)
		k.Out = k.In
		if a.has(2) {
			k.Out = aep.Interpolation(s.enumerated(a.at(2), "interpolation", firstInterpolation, 3) + 1)
		}
		return undefined()
	})
	ease := func(list []aep.Ease) any {
		out := make([]goja.Value, len(list))
		for i := range list {
			e := list[i]
			out[i] = s.classes.ease.object(&e)
		}
		return out
	}
	method(c, "keyInTemporalEase", func(r *propRef, a args) any { return ease(r.p.Keys[s.keyIndex(r, a.at(0))].InEase) })
	method(c, "keyOutTemporalEase", func(r *propRef, a args) any { return ease(r.p.Keys[s.keyIndex(r, a.at(0))].OutEase) })
	method(c, "setTemporalEaseAtKey", func(r *propRef, a args) any {
		k := &r.p.Keys[s.keyIndex(r, a.at(0))]
		k.InEase = s.eases(a.at(1), len(k.InEase))
		k.OutEase = k.InEase
		if a.has(2) {
			k.OutEase = s.eases(a.at(2), len(k.OutEase))
		}
		k.In, k.Out = aep.Bezier, aep.Bezier
		return undefined()
	})
	method(c, "keyInSpatialTangent", func(r *propRef, a args) any { return r.p.Keys[s.keyIndex(r, a.at(0))].TangentIn })
	method(c, "keyOutSpatialTangent", func(r *propRef, a args) any { return r.p.Keys[s.keyIndex(r, a.at(0))].TangentOut })
	method(c, "setSpatialTangentsAtKey", func(r *propRef, a args) any {
		k := &r.p.Keys[s.keyIndex(r, a.at(0))]
		k.TangentIn = s.tangent(a.at(1), len(k.TangentIn))
		k.TangentOut = k.TangentIn
		if a.has(2) {
			k.TangentOut = s.tangent(a.at(2), len(k.TangentOut))
		}
		return undefined()
	})
	for _, name := range []string{"setTemporalContinuousAtKey", "setTemporalAutoBezierAtKey", "setSpatialContinuousAtKey", "setSpatialAutoBezierAtKey"} {
		method(c, name, func(*propRef, args) any { return undefined() })
	}
	method(c, "setRovingAtKey", func(r *propRef, a args) any {
		r.p.Keys[s.keyIndex(r, a.at(0))].Roving = a.bool(1, false)
		return undefined()
	})
}

func (s *session) tangent(v goja.Value, n int) []float64 {
	out := make([]float64, n)
	copy(out, s.floats(v, "tangent"))
	return out
}

func (s *session) eases(v goja.Value, n int) []aep.Ease {
	o, ok := v.(*goja.Object)
	if !ok {
		s.throw("After Effects error: eases are an array of KeyframeEase")
	}
	given := length(o)
	out := make([]aep.Ease, n)
	for i := range out {
		if given <= 0 {
			break
		}
		e, ok := optional[*aep.Ease](s, o.Get(itoa(min(i, given-1))))
		if !ok {
			s.throw("After Effects error: eases are an array of KeyframeEase")
		}
		out[i] = *e
	}
	return out
}

func (s *session) keyIndex(r *propRef, v goja.Value) int {
	i := int(s.number(v, "key"))
	if i < 1 || i > len(r.p.Keys) {
		s.throw("After Effects error: %q has no keyframe %d (it has %d)", r.displayName(), i, len(r.p.Keys))
	}
	return i - 1
}

func (s *session) markerIndex(r *propRef, v goja.Value) int {
	i := int(s.number(v, "key"))
	if i < 1 || i > len(*r.markers()) {
		s.throw("After Effects error: there is no marker %d (there are %d)", i, len(*r.markers()))
	}
	return i - 1
}

func (s *session) setValueAtTime(r *propRef, t float64, v goja.Value) {
	if isMarker(r.p) {
		s.setMarker(r, t, v)
		return
	}
	s.setKey(r, t, s.fromScript(r, v))
}

func (s *session) setMarker(r *propRef, t float64, v goja.Value) {
	o, ok := optional[*markerObject](s, v)
	if !ok {
		s.throw("After Effects error: a marker is set with a MarkerValue")
	}
	m := r.markers()
	n := o.m
	n.Time = t
	*m = slices.DeleteFunc(*m, func(old aep.Marker) bool { return math.Abs(old.Time-t) < sameTime })
	*m = append(*m, n)
	slices.SortFunc(*m, func(a, b aep.Marker) int {
		if a.Time < b.Time {
			return -1
		}
		return 1
	})
}

// setKey sets the keyframe at composition time t, creating it when there is none. It returns its index from 0.
func (s *session) setKey(r *propRef, t float64, v aep.Value) int {
	local := eval.LocalTime(r.layer.l, t)
	at, found := slices.BinarySearchFunc(r.p.Keys, local, func(k aep.Keyframe, t float64) int {
		switch {
		case math.Abs(k.Time-t) < sameTime:
			return 0
		case k.Time < t:
			return -1
		}
		return 1
	})
	if found {
		r.p.Keys[at].Value = v
		return at
	}
	r.p.Keys = slices.Insert(r.p.Keys, at, newKey(r.p, local, v))
	return at
}

// newKey is a keyframe as After Effects creates it: linear, with an influence of one sixth in case it becomes bezier.
func newKey(p *aep.Property, local float64, v aep.Value) aep.Keyframe {
	n, dims := 1, 0
	if list, ok := v.(aep.Numbers); ok {
		dims = len(list)
		if !p.Spatial && !p.Color {
			n = dims
		}
	}
	k := aep.Keyframe{Time: local, Value: v, In: aep.Linear, Out: aep.Linear}
	for range n {
		k.InEase = append(k.InEase, aep.Ease{Influence: 1.0 / 6})
		k.OutEase = append(k.OutEase, aep.Ease{Influence: 1.0 / 6})
	}
	if _, numeric := v.(aep.Numbers); !numeric {
		k.In, k.Out = aep.Hold, aep.Hold
		if _, path := v.(*aep.Path); path {
			k.In, k.Out = aep.Linear, aep.Linear
		}
	}
	if p.Spatial {
		k.TangentIn, k.TangentOut = make([]float64, dims), make([]float64, dims)
	}
	return k
}
