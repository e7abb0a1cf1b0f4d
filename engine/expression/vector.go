package expression

import (
	"math"

	"github.com/dop251/goja"
)

// defineMath defines vectors, angles and interpolation.
func (m *Machine) defineMath() {
	m.define("clamp", func(c goja.FunctionCall) goja.Value {
		v, isArray := m.floats(c.Argument(0), "clamp")
		low, _ := m.floats(c.Argument(1), "clamp")
		high, _ := m.floats(c.Argument(2), "clamp")
		out := make([]float64, len(v))
		for i := range v {
			a, b := pick(low, i), pick(high, i)
			out[i] = min(max(v[i], min(a, b)), max(a, b))
		}
		return m.give(out, isArray)
	})
	m.define("dot", func(c goja.FunctionCall) goja.Value {
		a, b := m.two(c, "dot")
		sum := 0.0
		for i := range max(len(a), len(b)) {
			sum += element(a, i) * element(b, i)
		}
		return m.rt.ToValue(sum)
	})
	m.define("cross", func(c goja.FunctionCall) goja.Value {
		a, b := m.two(c, "cross")
		x := func(i, j int) float64 { return element(a, i)*element(b, j) - element(a, j)*element(b, i) }
		return m.array([]float64{x(1, 2), x(2, 0), x(0, 1)})
	})
	m.define("length", func(c goja.FunctionCall) goja.Value {
		a, _ := m.floats(c.Argument(0), "length")
		if len(c.Arguments) > 1 {
			b, _ := m.floats(c.Argument(1), "length")
			d := make([]float64, max(len(a), len(b)))
			for i := range d {
				d[i] = element(a, i) - element(b, i)
			}
			a = d
		}
		return m.rt.ToValue(norm(a))
	})
	m.define("normalize", func(c goja.FunctionCall) goja.Value {
		a, isArray := m.floats(c.Argument(0), "normalize")
		n := norm(a)
		out := make([]float64, len(a))
		for i := range a {
			if n > 0 {
				out[i] = a[i] / n
			}
		}
		return m.give(out, isArray)
	})
	m.define("lookAt", func(c goja.FunctionCall) goja.Value {
		a, b := m.two(c, "lookAt")
		return m.array(looking(a, b))
	})
	m.define("degreesToRadians", func(c goja.FunctionCall) goja.Value {
		return m.rt.ToValue(m.number(c.Argument(0), "degreesToRadians") * math.Pi / 180)
	})
	m.define("radiansToDegrees", func(c goja.FunctionCall) goja.Value {
		return m.rt.ToValue(m.number(c.Argument(0), "radiansToDegrees") * 180 / math.Pi)
	})
	m.interpolation("linear", func(x float64) float64 { return x })
	m.interpolation("ease", func(x float64) float64 { return x * x * (3 - 2*x) })
	m.interpolation("easeIn", func(x float64) float64 { return bezier(x, 1.0/3, 0, 5.0/6, 5.0/6) })
	m.interpolation("easeOut", func(x float64) float64 { return bezier(x, 1.0/6, 1.0/6, 2.0/3, 1) })
}

func (m *Machine) two(c goja.FunctionCall, what string) (a, b []float64) {
	a, _ = m.floats(c.Argument(0), what)
	b, _ = m.floats(c.Argument(1), what)
	return a, b
}

// pick is the i-th number of a list, or the only one.
func pick(list []float64, i int) float64 {
	if len(list) == 1 {
		return list[0]
	}
	return element(list, i)
}

func norm(list []float64) float64 {
	sum := 0.0
	for _, f := range list {
		sum += f * f
	}
	return math.Sqrt(sum)
}

// interpolation defines f(t, value1, value2) and f(t, tMin, tMax, value1, value2).
func (m *Machine) interpolation(name string, curve func(float64) float64) {
	m.define(name, func(c goja.FunctionCall) goja.Value {
		if len(c.Arguments) < 3 {
			m.throw("%s needs 3 or 5 values, got %d", name, len(c.Arguments))
		}
		t := m.number(c.Argument(0), name)
		low, high, at := 0.0, 1.0, 1
		if len(c.Arguments) >= 5 {
			low, high, at = m.number(c.Argument(1), name), m.number(c.Argument(2), name), 3
		}
		a, arrayA := m.floats(c.Argument(at), name)
		b, arrayB := m.floats(c.Argument(at+1), name)
		if low > high {
			low, high, a, b, arrayA, arrayB = high, low, b, a, arrayB, arrayA
		}
		x := 0.0
		switch {
		case t >= high:
			x = 1
		case t > low:
			x = curve((t - low) / (high - low))
		}
		out := make([]float64, max(len(a), len(b)))
		for i := range out {
			out[i] = element(a, i) + (element(b, i)-element(a, i))*x
		}
		return m.give(out, arrayA || arrayB)
	})
}

// bezier is y at x of the curve from (0, 0) to (1, 1) with the control points (x1, y1) and (x2, y2).
func bezier(x, x1, y1, x2, y2 float64) float64 {
	at := func(s, a, b float64) float64 { return 3*(1-s)*(1-s)*s*a + 3*(1-s)*s*s*b + s*s*s }
	low, high := 0.0, 1.0
	for range 40 {
		mid := (low + high) / 2
		if at(mid, x1, x2) < x {
			low = mid
		} else {
			high = mid
		}
	}
	return at((low+high)/2, y1, y2)
}
