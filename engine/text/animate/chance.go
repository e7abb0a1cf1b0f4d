package animate

import (
	"math"
	"math/rand/v2"
)

// chance is where random values come from. They are not After Effects' own, whose generator is not public, but the same on every
// machine: they depend on the layer, the animator, the selector and its seed.
type chance struct {
	layer              uint32
	animator, selector int
	seed               uint64
}

func (c chance) seeded(seed float64) chance {
	c.seed = math.Float64bits(seed)
	return c
}

func (c chance) key() uint64 {
	return uint64(c.layer)<<32 ^ uint64(c.animator)<<16 ^ uint64(c.selector)
}

// shuffle is the values in a random order.
func shuffle(values []float64, c chance) []float64 {
	out := make([]float64, len(values))
	for i, j := range rand.New(rand.NewPCG(c.key(), c.seed)).Perm(len(values)) {
		out[i] = values[j]
	}
	return out
}

// noise is a smooth random function of two coordinates and a number, -1 to 1.
func (c chance) noise(x, y float64, number int) float64 {
	x0, y0 := math.Floor(x), math.Floor(y)
	kx, ky := fade(x-x0), fade(y-y0)
	top := mix(c.corner(x0, y0, number), c.corner(x0+1, y0, number), kx)
	bottom := mix(c.corner(x0, y0+1, number), c.corner(x0+1, y0+1, number), kx)
	return mix(top, bottom, ky)
}

// corner is the value at a corner of the lattice of noise.
func (c chance) corner(x, y float64, number int) float64 {
	at := uint64(uint32(int64(x)))<<32 | uint64(uint32(int64(y)))
	var g rand.PCG
	g.Seed(c.key()^c.seed, at*4+uint64(number))
	g.Uint64() // the first number still shows the seed
	return float64(g.Uint64()>>11)/(1<<52) - 1
}

// fade is a curve from 0 to 1 that begins and ends level.
func fade(k float64) float64 { return k * k * (3 - 2*k) }

func mix(a, b, k float64) float64 { return a + (b-a)*k }
