package expression

import (
	"math"

	"github.com/dop251/goja"

	"overcrank/aep"
)

func (m *Machine) defineValueMethods() {
	m.propertyAttr("value", false, false, func(n *node) goja.Value { return m.valueOf(n, m.cur.time) })
	m.propertyAttr("name", true, false, func(n *node) goja.Value { return m.rt.ToValue(n.name()) })
	m.propertyAttr("matchName", true, false, func(n *node) goja.Value { return m.rt.ToValue(n.p.Match) })
	m.propertyAttr("propertyIndex", true, true, func(n *node) goja.Value {
		if n.parent != nil {
			for i, p := range n.parent.p.Children {
				if p == n.p {
					return m.rt.ToValue(i + 1)
				}
			}
		}
		return m.rt.ToValue(1)
	})
	m.propertyAttr("numProperties", true, false, func(n *node) goja.Value { return m.rt.ToValue(len(n.p.Children)) })
	m.propertyAttr("enabled", true, false, func(n *node) goja.Value { return m.rt.ToValue(n.p.Enabled) })
	m.propertyAttr("active", true, false, func(n *node) goja.Value { return m.rt.ToValue(n.p.Enabled) })
	group := func(n *node, c goja.FunctionCall) goja.Value {
		for range max(int(m.arg(c, 0, 1, "propertyGroup")), 1) {
			if n.parent == nil {
				m.throw("propertyGroup: there is no group above %q", n.name())
			}
			n = n.parent
		}
		if n.parent == nil {
			return m.layer(n.comp, n.layer).object
		}
		return n.object
	}
	m.propertyMethod("propertyGroup", group)
	fn := m.rt.ToValue(func(c goja.FunctionCall) goja.Value { return group(m.nodeOf(c.This), c) })
	_ = m.classes.group.DefineDataProperty("propertyGroup", fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	prop := m.rt.ToValue(func(c goja.FunctionCall) goja.Value { return m.lookUp(m.nodeOf(c.This), c.Argument(0)) })
	for _, name := range []string{"property", "param"} {
		_ = m.classes.group.DefineDataProperty(name, prop, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}

	m.defineNumberMethods()
	m.propertyMethod("valueAtTime", func(n *node, c goja.FunctionCall) goja.Value {
		return m.valueOf(n, m.number(c.Argument(0), "valueAtTime"))
	})
	m.propertyMethod("velocityAtTime", func(n *node, c goja.FunctionCall) goja.Value {
		return m.velocity(n, m.number(c.Argument(0), "velocityAtTime"))
	})
	m.propertyMethod("speedAtTime", func(n *node, c goja.FunctionCall) goja.Value {
		list, _ := m.floats(m.velocity(n, m.number(c.Argument(0), "speedAtTime")), "speed")
		return m.rt.ToValue(norm(list))
	})
	m.propertyAttr("velocity", false, true, func(n *node) goja.Value { return m.velocity(n, m.cur.time) })
	m.propertyAttr("speed", false, true, func(n *node) goja.Value {
		list, _ := m.floats(m.velocity(n, m.cur.time), "speed")
		return m.rt.ToValue(norm(list))
	})
	primitive := m.rt.ToValue(func(c goja.FunctionCall) goja.Value { return m.plain(c.This) })
	_ = m.classes.property.DefineDataProperty("valueOf", primitive, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	text := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		v := m.plain(c.This)
		if o, ok := v.(*goja.Object); ok && o.ClassName() != "Array" {
			return m.rt.ToValue("[object Property]")
		}
		return m.rt.ToValue(v.String())
	})
	_ = m.classes.property.DefineDataProperty("toString", text, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = m.classes.property.DefineDataProperty("toJSON", primitive, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// defineNumberMethods lets a property of one number be formatted as a number is.
func (m *Machine) defineNumberMethods() {
	number := m.rt.Get("Number").(*goja.Object).Get("prototype").(*goja.Object)
	for _, name := range []string{"toFixed", "toPrecision", "toExponential"} {
		format, _ := goja.AssertFunction(number.Get(name))
		fn := m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
			v, err := format(m.lone(c.This, 0), c.Arguments...)
			if err != nil {
				panic(err)
			}
			return v
		})
		_ = m.classes.property.DefineDataProperty(name, fn, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
}

// velocity is the change per second, measured over the millisecond around t.
func (m *Machine) velocity(n *node, t float64) goja.Value {
	const h = 0.0005
	a, ok := m.valueAt(n, t-h).(aep.Numbers)
	b, ok2 := m.valueAt(n, t+h).(aep.Numbers)
	if !ok || !ok2 {
		m.throw("%q has no velocity: it is not a number", n.name())
	}
	d := dimensions(n.layer, n.p, b)
	out := make([]float64, d)
	for i := range out {
		out[i] = (element(b, i) - element(a, i)) / (2 * h)
	}
	return m.give(out, d > 1)
}

func (m *Machine) defineWiggle() {
	m.propertyMethod("wiggle", func(n *node, c goja.FunctionCall) goja.Value {
		freq, amp := m.number(c.Argument(0), "wiggle"), m.number(c.Argument(1), "wiggle")
		octaves := min(max(int(m.arg(c, 2, 1, "wiggle")), 1), 16)
		damp, t := m.arg(c, 3, 0.5, "wiggle"), m.arg(c, 4, m.clock(), "wiggle")
		return m.wiggled(n, m.cur.time, freq, amp, octaves, damp, t)
	})
	m.propertyMethod("temporalWiggle", func(n *node, c goja.FunctionCall) goja.Value {
		freq, amp := m.number(c.Argument(0), "temporalWiggle"), m.number(c.Argument(1), "temporalWiggle")
		t := m.arg(c, 4, m.clock(), "temporalWiggle")
		s := seed(n.ref(), 0, 77, true)
		return m.valueOf(n, t+amp*noise3(t*freq, 0, 0, s))
	})
	m.propertyMethod("smooth", func(n *node, c goja.FunctionCall) goja.Value {
		width, count := m.arg(c, 0, 0.2, "smooth"), min(max(int(m.arg(c, 1, 5, "smooth")), 1), 200)
		t := m.arg(c, 2, m.cur.time, "smooth")
		var sum []float64
		for i := range count {
			at := t
			if count > 1 {
				at += width * (float64(i)/float64(count-1) - 0.5)
			}
			v, ok := m.valueAt(n, at).(aep.Numbers)
			if !ok {
				m.throw("smooth: %q is not a number", n.name())
			}
			if sum == nil {
				sum = make([]float64, dimensions(n.layer, n.p, v))
			}
			for j := range sum {
				sum[j] += v[j] / float64(count)
			}
		}
		return m.give(sum, len(sum) > 1)
	})
}

func (m *Machine) wiggled(n *node, at, freq, amp float64, octaves int, damp, t float64) goja.Value {
	v, ok := m.valueAt(n, at).(aep.Numbers)
	if !ok {
		m.throw("wiggle: %q is not a number", n.name())
	}
	out := make([]float64, dimensions(n.layer, n.p, v))
	s := seed(n.ref(), 0, m.cur.seeded, true)
	for i := range out {
		sum, f, a := 0.0, freq, amp
		for o := range octaves {
			sum += a * noise3(t*f, float64(i)*31.7+0.5, float64(o)*17.3+0.5, s)
			f, a = f*2, a*damp
		}
		out[i] = v[i] + sum
	}
	return m.give(out, len(out) > 1)
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
