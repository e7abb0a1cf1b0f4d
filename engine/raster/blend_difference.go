package raster

// Difference is how far the colours are apart.
var Difference = separable(func(s, sa, d, da uint32) uint32 {
	x, y := mul(s, da), mul(d, sa)
	return max(x, y) - min(x, y)
})

// Exclusion is a Difference of less contrast.
var Exclusion = separable(func(s, sa, d, da uint32) uint32 {
	both := mul(s, da) + mul(d, sa)
	return both - min(both, 2*mul(s, d))
})
