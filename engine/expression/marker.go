package expression

import (
	"math"
	"slices"

	"github.com/dop251/goja"

	"overcrank/aep"
)

// markers is the marker property of a layer or a composition.
func (m *Machine) markers(list []aep.Marker) goja.Value {
	o := m.rt.NewObject()
	_ = o.Set("numKeys", len(list))
	_ = o.Set("key", func(c goja.FunctionCall) goja.Value {
		key := m.plain(c.Argument(0))
		if goja.IsString(key) {
			i := slices.IndexFunc(list, func(k aep.Marker) bool { return k.Comment == key.String() })
			if i < 0 {
				m.throw("there is no marker %q", short(key.String()))
			}
			return m.marker(list[i], i)
		}
		i := int(m.number(key, "marker.key"))
		if i < 1 || i > len(list) {
			m.throw("there is no marker %d (there are %d)", i, len(list))
		}
		return m.marker(list[i-1], i-1)
	})
	_ = o.Set("nearestKey", func(c goja.FunctionCall) goja.Value {
		t, best, at := m.number(c.Argument(0), "nearestKey"), math.Inf(1), -1
		for i := range list {
			if d := math.Abs(list[i].Time - t); d < best {
				best, at = d, i
			}
		}
		if at < 0 {
			m.throw("there are no markers")
		}
		return m.marker(list[at], at)
	})
	for old, name := range map[string]string{"num_keys": "numKeys", "nearest_key": "nearestKey"} {
		_ = o.DefineDataProperty(old, o.Get(name), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	return o
}

// marker is a key of a marker property.
func (m *Machine) marker(k aep.Marker, i int) goja.Value {
	o := m.rt.NewObject()
	parameters := m.rt.NewObject()
	for _, p := range k.Parameters {
		_ = parameters.Set(p[0], p[1])
	}
	for name, v := range map[string]any{
		"time": k.Time, "duration": k.Duration, "comment": k.Comment, "index": i + 1,
		"chapter": k.Chapter, "url": k.URL, "frameTarget": k.FrameTarget, "cuePointName": k.CuePoint,
		"parameters": parameters, "protectedRegion": k.Protected,
	} {
		_ = o.Set(name, v)
	}
	return o
}
