package raster

// Screen multiplies the inverses of the colours, which lightens.
var Screen = separable(func(s, sa, d, da uint32) uint32 { return mul(s, da) + mul(d, sa) - mul(s, d) })
