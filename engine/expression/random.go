package expression

import (
	"math"

	"github.com/dop251/goja"

	"overcrank/engine/eval"
)

// The random numbers are not After Effects' own, whose generator is not public. They are the same on every machine and
// in every run, and depend, like those, on the layer, the property, the seed and the time.

// mix maps a number to an unrelated one (the finaliser of splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func seed(ref eval.Ref, t float64, with int64, timeless bool) uint64 {
	h := mix(uint64(with))
	if ref.Layer != nil {
		h = mix(h ^ uint64(ref.Layer.ID))
	}
	for i := range len(ref.Prop.Match) {
		h = h*1099511628211 ^ uint64(ref.Prop.Match[i])
	}
	if !timeless {
		h ^= math.Float64bits(math.Round(t*1e6) / 1e6)
	}
	return mix(h)
}

// uniform is the next random number of this evaluation, 0–1.
func (m *Machine) uniform() float64 {
	if m.cur == nil {
		return 0.5
	}
	if m.cur.random == 0 {
		m.cur.random = seed(m.cur.ref, m.cur.time, m.cur.seeded, m.cur.timeless)
		if s := m.cur.selection; s != nil { // random numbers differ from character to character
			m.cur.random = mix(m.cur.random + uint64(s.Index))
		}
	}
	if !m.cur.timeless {
		m.cur.moving = true
	}
	m.cur.random = mix(m.cur.random)
	return float64(m.cur.random>>11) / (1 << 53)
}

func (m *Machine) gauss() float64 {
	// Nine of ten numbers are within 0–1, as in After Effects.
	u, v := 1-m.uniform(), m.uniform()
	return 0.5 + math.Sqrt(-2*math.Log(u))*math.Cos(2*math.Pi*v)*0.304
}

func (m *Machine) defineRandom() {
	m.define("seedRandom", func(c goja.FunctionCall) goja.Value {
		m.cur.seeded = int64(m.arg(c, 0, 0, "seedRandom")) + 1
		m.cur.random, m.cur.timeless = 0, m.flag(c, 1, false)
		return goja.Undefined()
	})
	m.define("random", func(c goja.FunctionCall) goja.Value { return m.draw(c, "random", m.uniform) })
	m.define("gaussRandom", func(c goja.FunctionCall) goja.Value { return m.draw(c, "gaussRandom", m.gauss) })
	m.define("noise", func(c goja.FunctionCall) goja.Value {
		v, _ := m.floats(c.Argument(0), "noise")
		return m.rt.ToValue(noise3(element(v, 0), element(v, 1), element(v, 2), 0))
	})
}

// draw returns a random number of 0–1, of 0 to a maximum, or of a range; for arrays, one for each element.
func (m *Machine) draw(c goja.FunctionCall, name string, next func() float64) goja.Value {
	if len(c.Arguments) == 0 {
		return m.rt.ToValue(next())
	}
	high, isArray := m.floats(c.Argument(0), name)
	low := make([]float64, len(high))
	if len(c.Arguments) > 1 {
		var other bool
		low = high
		high, other = m.floats(c.Argument(1), name)
		isArray = isArray || other
	}
	out := make([]float64, max(len(low), len(high)))
	for i := range out {
		a, b := element(low, i), element(high, i)
		out[i] = a + (b-a)*next()
	}
	return m.give(out, isArray)
}

// lattice is a number of -1–1 for each corner of a grid.
func lattice(x, y, z int64, seed uint64) float64 {
	h := mix(seed ^ mix(uint64(x)^mix(uint64(y)^mix(uint64(z)))))
	return float64(h>>11)/(1<<52) - 1
}

func fade(t float64) float64 { return t * t * t * (t*(t*6-15) + 10) }

// noise3 is smooth noise of -1–1: the numbers of a grid, interpolated between its corners.
func noise3(x, y, z float64, seed uint64) float64 {
	fx, fy, fz := math.Floor(x), math.Floor(y), math.Floor(z)
	u, v, w := fade(x-fx), fade(y-fy), fade(z-fz)
	ix, iy, iz := int64(fx), int64(fy), int64(fz)
	mixed := func(a, b, t float64) float64 { return a + (b-a)*t }
	edge := func(dy, dz int64) float64 {
		return mixed(lattice(ix, iy+dy, iz+dz, seed), lattice(ix+1, iy+dy, iz+dz, seed), u)
	}
	return mixed(mixed(edge(0, 0), edge(1, 0), v), mixed(edge(0, 1), edge(1, 1), v), w)
}
