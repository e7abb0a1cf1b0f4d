package raster

// Multiply multiplies the colours, which darkens.
var Multiply = separable(func(s, _, d, _ uint32) uint32 { return mul(s, d) })
