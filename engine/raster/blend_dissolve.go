package raster

import "math/rand/v2"

// Dissolve shows each pixel of the source either whole or not at all, with its alpha as the probability, as Adobe describes the mode. A
// pattern is the same on every machine; it is not After Effects' own, which is not public.
func Dissolve(pattern uint64) Blend {
	return func(dst, src []uint8, at Span) {
		for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
			s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
			a := uint32(s[3])
			if a == 0 || a < 255 && chance(pattern, at.X+i/4, at.Y) >= a {
				continue
			}
			for c := range 3 {
				d[c] = uint8(min((uint32(s[c])*255+a/2)/a, 255))
			}
			d[3] = 255
		}
	}
}

// Chance is a random number below 1 for a pixel, in a pattern that Dissolve shows.
func Chance(pattern uint64, x, y int) float32 { return float32(chance(pattern, x, y)) / 255 }

// chance is a random number below 255 for a pixel.
func chance(pattern uint64, x, y int) uint32 {
	var g rand.PCG
	g.Seed(uint64(uint32(x))|uint64(uint32(y))<<32, pattern)
	g.Uint64() // the first number still shows the seed
	return uint32(g.Uint64() % 255)
}
