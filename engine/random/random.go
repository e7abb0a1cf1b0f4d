// Package random makes numbers that look random and are the same on every machine.
package random

// At is a number from 0 to 1, below it, for each place of a lattice: the same on every machine, by the finalizer of SplitMix64 (Steele,
// Lea, Flood: Fast splittable pseudorandom number generators, 2014).
func At(seed, x, y, z int) float64 {
	return float64(scramble(seed, x, y, z)>>11) / (1 << 53)
}

func scramble(seed, x, y, z int) uint64 {
	h := uint64(seed)*0x9e3779b97f4a7c15 ^ uint64(x)*0xbf58476d1ce4e5b9 ^ uint64(y)*0x94d049bb133111eb ^ uint64(z)*0xd6e8feb86659fd93
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}
