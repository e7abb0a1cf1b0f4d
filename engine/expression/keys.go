package expression

import (
	"math"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// defineKeys defines the access to keyframes.
func (m *Machine) defineKeys() {
	m.classes.key = m.rt.NewObject()
	m.propertyAttr("numKeys", false, true, func(n *node) goja.Value { return m.rt.ToValue(len(n.p.Keys)) })
	m.propertyMethod("key", func(n *node, c goja.FunctionCall) goja.Value {
		i := int(m.number(c.Argument(0), "key"))
		if i < 1 || i > len(n.p.Keys) {
			m.throw("%q has no keyframe %d (it has %d)", n.name(), i, len(n.p.Keys))
		}
		return m.key(n, i)
	})
	m.propertyMethod("nearestKey", func(n *node, c goja.FunctionCall) goja.Value {
		t := m.number(c.Argument(0), "nearestKey")
		best, at := math.Inf(1), 0
		for i, k := range n.p.Keys {
			if d := math.Abs(eval.CompTime(n.layer, k.Time) - t); d < best {
				best, at = d, i+1
			}
		}
		if at == 0 {
			m.throw("%q has no keyframes", n.name())
		}
		return m.key(n, at)
	})
}

func (m *Machine) key(n *node, i int) goja.Value {
	k := n.p.Keys[i-1]
	v := m.show(n.layer, n.p, k.Value)
	o := m.rt.NewObject()
	_ = o.Set("time", eval.CompTime(n.layer, k.Time))
	_ = o.Set("value", v)
	_ = o.Set("index", i)
	if list, ok := m.vector(v); ok {
		for j, f := range list {
			_ = o.Set(itoa(j), f)
		}
		_ = o.DefineDataProperty("length", m.rt.ToValue(len(list)), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	value := m.rt.ToValue(func(goja.FunctionCall) goja.Value { return v })
	_ = o.DefineDataProperty("valueOf", value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return o
}

// loop is a range of keyframes that is repeated, in composition seconds.
type loop struct {
	kind        string
	first, last float64
}

// defineLoops defines loopIn, loopOut and their variants by duration.
func (m *Machine) defineLoops() {
	for _, l := range []struct {
		name     string
		out, dur bool
	}{{"loopIn", false, false}, {"loopOut", true, false}, {"loopInDuration", false, true}, {"loopOutDuration", true, true}} {
		m.propertyMethod(l.name, func(n *node, c goja.FunctionCall) goja.Value {
			kind := "cycle"
			if len(c.Arguments) > 0 && !goja.IsUndefined(c.Arguments[0]) {
				kind = c.Arguments[0].String()
			}
			return m.loop(n, kind, m.arg(c, 1, 0, l.name), l.out, l.dur)
		})
	}
}

func (m *Machine) loop(n *node, kind string, amount float64, out, byDuration bool) goja.Value {
	keys := n.p.Keys
	t := m.cur.time
	if len(keys) == 0 || len(keys) == 1 && !byDuration {
		return m.valueOf(n, t)
	}
	t = m.clock()
	l := stretch(n, amount, out, byDuration)
	l.kind = kind
	if out && t <= l.last || !out && t >= l.first || l.last-l.first < 1e-9 {
		return m.valueOf(n, t)
	}
	return m.looped(n, l, t, out)
}

// stretch is the range to repeat: all keyframes, the given number of intervals, or the given seconds.
func stretch(n *node, amount float64, out, byDuration bool) loop {
	keys := n.p.Keys
	at := func(i int) float64 { return eval.CompTime(n.layer, keys[i].Time) }
	l := loop{first: at(0), last: at(len(keys) - 1)}
	if l.first > l.last {
		l.first, l.last = l.last, l.first
	}
	switch {
	case byDuration && amount > 0 && out:
		l.first = l.last - amount
	case byDuration && amount > 0:
		l.last = l.first + amount
	case byDuration && out:
		l.first = n.layer.In
	case byDuration:
		l.last = n.layer.Out
	case amount > 0 && out:
		l.first = at(max(len(keys)-1-int(amount), 0))
	case amount > 0:
		l.last = at(min(int(amount), len(keys)-1))
	}
	return l
}

func (m *Machine) looped(n *node, l loop, t float64, out bool) goja.Value {
	span := l.last - l.first
	away := t - l.last
	if !out {
		away = l.first - t
	}
	switch l.kind {
	case "continue":
		edge, h := l.last, -0.001
		if !out {
			edge, h = l.first, 0.001
		}
		return m.combine(n, edge, func(v, step float64) float64 { return v + (v-step)/-h*(t-edge) }, edge+h)
	case "pingpong":
		rounds, rest := math.Floor(away/span), math.Mod(away, span)
		if out == (math.Mod(rounds, 2) == 0) {
			return m.valueOf(n, l.last-rest)
		}
		return m.valueOf(n, l.first+rest)
	}
	at := l.first + math.Mod(away, span)
	if !out {
		at = l.last - math.Mod(away, span)
	}
	if l.kind != "offset" {
		return m.valueOf(n, at)
	}
	rounds := math.Floor(away/span) + 1
	if !out {
		rounds = -rounds
	}
	first, _ := m.valueAt(n, l.first).(aep.Numbers)
	last, _ := m.valueAt(n, l.last).(aep.Numbers)
	v, ok := m.valueAt(n, at).(aep.Numbers)
	if !ok {
		return m.valueOf(n, at)
	}
	list := make([]float64, dimensions(n.layer, n.p, v))
	for i := range list {
		list[i] = v[i] + (element(last, i)-element(first, i))*rounds
	}
	return m.give(list, len(list) > 1)
}

// combine computes a value from those at two times, number by number.
func (m *Machine) combine(n *node, t float64, f func(a, b float64) float64, u float64) goja.Value {
	a, ok := m.valueAt(n, t).(aep.Numbers)
	b, _ := m.valueAt(n, u).(aep.Numbers)
	if !ok {
		return m.valueOf(n, t)
	}
	list := make([]float64, dimensions(n.layer, n.p, a))
	for i := range list {
		list[i] = f(a[i], element(b, i))
	}
	return m.give(list, len(list) > 1)
}
