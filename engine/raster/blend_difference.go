package raster

// Difference is the absolute difference of the colours.
var Difference = separable(func(s, sa, d, da uint32) uint32 {
	x, y := mul(s, da), mul(d, sa)
	return max(x, y) - min(x, y)
})

// Exclusion is like Difference, with less contrast.
var Exclusion = separable(func(s, sa, d, da uint32) uint32 {
	both := mul(s, da) + mul(d, sa)
	return both - min(both, 2*mul(s, d))
})
