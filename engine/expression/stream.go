package expression

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// stream is what a path of numbers leads to in data footage: one value, or in mgJSON one that changes over time.
type stream struct {
	fixed   goja.Value
	linear  bool // numbers between two samples are interpolated; otherwise a sample holds until the next
	samples []sample
}

// sample is a value of a stream, time in seconds from the first sample of the file.
type sample struct {
	time  float64
	value goja.Value
}

// streamOf follows the path that is the first argument: each number selects a member of an object or array, from 0. In mgJSON they
// select from the outline of the data.
func (m *Machine) streamOf(it *aep.Item, c goja.FunctionCall) stream {
	steps, _ := m.floats(c.Argument(0), "the path in the data")
	root := m.sourceData(it)
	v := root
	outline := m.member(root, "dataOutline")
	if outline != nil {
		v = outline
	}
	for _, step := range steps {
		o, ok := v.(*goja.Object)
		if !ok {
			m.throw("the data of %q end above the member %g", it.Name, step)
		}
		if inner := m.member(o, "dataOutline"); inner != nil && outline != nil {
			o, _ = inner.(*goja.Object)
		}
		keys := o.Keys()
		if step < 0 || int(step) >= len(keys) || math.IsNaN(step) {
			m.throw("the data of %q have no member %g", it.Name, step)
		}
		v = o.Get(keys[int(step)])
	}
	if outline == nil {
		return stream{fixed: v}
	}
	return m.motionData(root, v)
}

// member is a member of an object, nil when there is none.
func (m *Machine) member(v goja.Value, name string) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil
	}
	if found := o.Get(name); found != nil && !goja.IsUndefined(found) && !goja.IsNull(found) {
		return found
	}
	return nil
}

func (m *Machine) text(v goja.Value, name string) string {
	if found := m.member(v, name); found != nil {
		return found.String()
	}
	return ""
}

// elements are the elements of an array.
func (m *Machine) elements(v goja.Value) []goja.Value {
	o, ok := v.(*goja.Object)
	if !ok || o.ClassName() != "Array" {
		return nil
	}
	keys := o.Keys()
	out := make([]goja.Value, len(keys))
	for i, key := range keys {
		out[i] = o.Get(key)
	}
	return out
}

// motionData is the stream that an entry of the outline of an mgJSON file describes. The format is Adobe's, as its examples show it:
// static entries hold their value, dynamic ones name a set of samples with times in UTC.
func (m *Machine) motionData(root, entry goja.Value) stream {
	kind := m.text(m.member(entry, "dataType"), "type")
	id := m.text(entry, "sampleSetID")
	if id == "" {
		return stream{fixed: m.motionValue(kind, m.member(entry, "value"))}
	}
	s := stream{linear: m.text(entry, "interpolation") == "linear"}
	first := math.Inf(1)
	for _, set := range m.elements(m.member(root, "dataDynamicSamples")) {
		own := m.text(set, "sampleSetID") == id
		for _, k := range m.elements(m.member(set, "samples")) {
			t := m.motionTime(m.text(k, "time"))
			first = min(first, t)
			if own {
				s.samples = append(s.samples, sample{t, m.motionValue(kind, m.member(k, "value"))})
			}
		}
	}
	for i := range s.samples {
		s.samples[i].time -= first
	}
	slices.SortStableFunc(s.samples, func(a, b sample) int { return int(math.Copysign(1, a.time-b.time)) })
	return s
}

func (m *Machine) motionTime(text string) float64 {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		m.throw("the time %q of a sample is not one of UTC", short(text))
	}
	return float64(t.UnixNano()) / 1e9
}

// motionValue converts a value: numbers are written as texts, and texts with their length.
func (m *Machine) motionValue(kind string, v goja.Value) goja.Value {
	switch {
	case v == nil:
		return goja.Undefined()
	case kind == "paddedString":
		if str := m.member(v, "str"); str != nil {
			return str
		}
	case kind == "numberString":
		if f, err := strconv.ParseFloat(v.String(), 64); err == nil {
			return m.rt.ToValue(f)
		}
	case kind == "numberStringArray":
		list := m.elements(v)
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = m.motionValue("numberString", e)
		}
		return m.rt.NewArray(out...)
	}
	return v
}

// at is the value of a stream now.
func (s stream) at(m *Machine) goja.Value {
	if len(s.samples) == 0 {
		return s.fixed
	}
	t := m.clock()
	i := slices.IndexFunc(s.samples, func(k sample) bool { return k.time > t+nearly })
	switch {
	case i == 0:
		return s.samples[0].value
	case i < 0:
		return s.samples[len(s.samples)-1].value
	}
	a, b := s.samples[i-1], s.samples[i]
	if !s.linear || !goja.IsNumber(a.value) || !goja.IsNumber(b.value) {
		return a.value
	}
	x := (t - a.time) / (b.time - a.time)
	return m.rt.ToValue(a.value.ToFloat() + (b.value.ToFloat()-a.value.ToFloat())*x)
}

// within are the samples between two times, which are the second and the third argument.
func (s stream) within(m *Machine, c goja.FunctionCall) []sample {
	from, to := m.arg(c, 1, math.Inf(-1), "the first time"), m.arg(c, 2, math.Inf(1), "the last time")
	var out []sample
	for _, k := range s.samples {
		if k.time >= from && k.time <= to {
			out = append(out, k)
		}
	}
	return out
}
