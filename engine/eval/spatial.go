package eval

import (
	"math"

	"overcrank/aep"
)

// arcSteps is the number of chords that approximate a curve when its length is measured. With 150 the position is within
// a fiftieth of a pixel of After Effects'.
const arcSteps = 150

// curve is a cubic Bézier curve in as many dimensions as the property has.
type curve [4]aep.Numbers

func (c curve) at(t float64) aep.Numbers {
	out := make(aep.Numbers, len(c[0]))
	for d := range out {
		out[d] = bezier(c[0][d], c[1][d], c[2][d], c[3][d], t)
	}
	return out
}

func (c curve) straight() bool {
	for d := range c[0] {
		if c[1][d] != c[0][d] || c[2][d] != c[3][d] {
			return false
		}
	}
	return true
}

// lengths is the table of distances from the start of the curve at arcSteps equal steps of its parameter.
func (c curve) lengths() [arcSteps + 1]float64 {
	var table [arcSteps + 1]float64
	sum := 0.0
	for i := 1; i <= arcSteps; i++ {
		s, e := float64(i-1)/arcSteps, float64(i)/arcSteps
		d2 := 0.0
		for d := range c[0] {
			delta := bezier(c[0][d], c[1][d], c[2][d], c[3][d], e) - bezier(c[0][d], c[1][d], c[2][d], c[3][d], s)
			d2 += delta * delta
		}
		sum += math.Sqrt(d2)
		table[i] = sum
	}
	return table
}

func segment(a, b *aep.Keyframe) (curve, bool) {
	p, ok1 := a.Value.(aep.Numbers)
	q, ok2 := b.Value.(aep.Numbers)
	if !ok1 || !ok2 || len(p) == 0 || len(p) != len(q) {
		return curve{}, false
	}
	c := curve{p, make(aep.Numbers, len(p)), make(aep.Numbers, len(p)), q}
	for d := range p {
		c[1][d], c[2][d] = p[d], q[d]
		if d < len(a.TangentOut) {
			c[1][d] += a.TangentOut[d]
		}
		if d < len(b.TangentIn) {
			c[2][d] += b.TangentIn[d]
		}
	}
	return c, true
}

// spatial moves along the path of the keys around segment i. Roving keys have no times of their own: the speed is
// continuous through them, from the last key before that has a time to the first key after.
func spatial(keys []aep.Keyframe, i int, t float64) (aep.Value, bool) {
	first, last := i, i+1
	for first > 0 && keys[first].Roving {
		first--
	}
	for last < len(keys)-1 && keys[last].Roving {
		last++
	}
	curves := make([]curve, 0, last-first)
	tables := make([][arcSteps + 1]float64, 0, last-first)
	total := 0.0
	for k := first; k < last; k++ {
		c, ok := segment(&keys[k], &keys[k+1])
		if !ok {
			return nil, false
		}
		curves = append(curves, c)
		var table [arcSteps + 1]float64
		if c.straight() {
			table[arcSteps] = distance(c[0], c[3])
		} else {
			table = c.lengths()
		}
		tables = append(tables, table)
		total += table[arcSteps]
	}
	want := eased(&keys[first], &keys[last], 0, 0, total, t)
	for k, c := range curves {
		length := tables[k][arcSteps]
		if want <= length || k == len(curves)-1 {
			return along(c, &tables[k], want), true
		}
		want -= length
	}
	return nil, false
}

// along is the point at a distance of want from the start of c.
func along(c curve, table *[arcSteps + 1]float64, want float64) aep.Numbers {
	length := table[arcSteps]
	if length == 0 {
		return c[0]
	}
	if c.straight() {
		// If the ease overshoots, a straight segment continues beyond its end.
		return mix(c[0], c[3], want/length)
	}
	if want <= 0 {
		return c[0]
	}
	if want >= length {
		return c[3]
	}
	lo, hi := 0, arcSteps
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; table[mid] <= want {
			lo = mid
		} else {
			hi = mid
		}
	}
	k := 0.0
	if step := table[hi] - table[lo]; step > 0 {
		k = (want - table[lo]) / step
	}
	return c.at((float64(lo) + k) / arcSteps)
}

func distance(a, b aep.Numbers) float64 {
	sum := 0.0
	for d := range a {
		sum += (b[d] - a[d]) * (b[d] - a[d])
	}
	return math.Sqrt(sum)
}
