package effect

import (
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/random"
)

// noiseType is how noise goes on between the places of its lattice.
type noiseType int

// The noise types, as the popup "Noise Type" of Fractal Noise numbers them.
const (
	noiseBlock noiseType = iota + 1
	noiseLinear
	noiseSoftLinear
	noiseSpline
)

// maxLattice limits the places of a lattice. What has more within a picture is finer than its pixels.
const maxLattice = 1 << 22

// field is noise over a part of the plane, at one moment: random values at the places of a lattice of unit cells, and something between
// them. Its values lie between -1 and 1, around 0. What Perlin called lattice noise (An Image Synthesizer, 1985) leaves open which values
// these are.
type field struct {
	kind       noiseType
	x, y, w, h int       // its first place, and how many there are
	values     []float32 // none for noise that is too fine to be seen
}

// newField is the noise with a seed, at moment z of its evolution, within box. After period, if that is not 0, the evolution begins again.
func newField(kind noiseType, seed int, z float64, period int, box geom.Rect) *field {
	f := &field{kind: kind}
	x0, y0 := math.Floor(box.MinX)-1, math.Floor(box.MinY)-1
	w, h := math.Ceil(box.MaxX)+2-x0, math.Ceil(box.MaxY)+2-y0
	if !(w > 0 && h > 0 && w*h <= maxLattice) {
		return f
	}
	f.x, f.y, f.w, f.h = lattice(x0), lattice(y0), int(w), int(h)
	f.values = make([]float32, f.w*f.h)
	base := math.Floor(z)
	first, second := lattice(base), lattice(base)+1
	if period > 0 {
		first, second = modulo(first, period), modulo(second, period)
	}
	k := smooth(z - base)
	for iy := range f.h {
		row := f.values[iy*f.w:][:f.w]
		for ix := range row {
			a := random.At(seed, f.x+ix, f.y+iy, first)
			if k != 0 {
				a += (random.At(seed, f.x+ix, f.y+iy, second) - a) * k
			}
			row[ix] = float32(2*a - 1)
		}
	}
	return f
}

func modulo(v, n int) int { return ((v % n) + n) % n }

// row is the noise along a line, from (x, y) in steps of (dx, dy).
func (f *field) row(out []float32, x, y, dx, dy float64) {
	x, y = x-float64(f.x), y-float64(f.y)
	for i := range out {
		out[i] = f.value(x+float64(i)*dx, y+float64(i)*dy)
	}
}

// at is the noise at a position.
func (f *field) at(x, y float64) float64 { return float64(f.value(x-float64(f.x), y-float64(f.y))) }

// value is the noise at a position from the first place of the lattice.
func (f *field) value(x, y float64) float32 {
	ix, iy := int(x), int(y)
	if f.values == nil || uint(ix) >= uint(f.w-1) || uint(iy) >= uint(f.h-1) {
		return 0
	}
	u, v := f.kind.between(float32(x-float64(ix))), f.kind.between(float32(y-float64(iy)))
	top := f.values[iy*f.w+ix:][:2:2]
	bottom := f.values[(iy+1)*f.w+ix:][:2:2]
	a, b := top[0]+(top[1]-top[0])*u, bottom[0]+(bottom[1]-bottom[0])*u
	return a + (b-a)*v
}

// between is the share of the next place at a way, from 0 to 1, between two.
func (k noiseType) between(v float32) float32 {
	switch k {
	case noiseBlock:
		return 0
	case noiseLinear:
		return v
	case noiseSpline:
		return v * v * v * (v*(v*6-15) + 10) // Perlin: Improving Noise, 2002
	}
	return v * v * (3 - 2*v)
}

// evolutionSteps is how many values each place of noise goes through while an evolution turns once.
const evolutionSteps = 4

// evolution is the moment and the period of noise with the parameters Evolution, in degrees, Cycle Evolution and Cycle, in revolutions.
func evolution(degrees float64, cycled bool, revolutions float64) (z float64, period int) {
	if cycled {
		period = evolutionSteps * max(1, lattice(revolutions))
	}
	return degrees / 360 * evolutionSteps, period
}
