package raster

// Darken keeps the darker of each channel.
var Darken = separable(func(s, sa, d, da uint32) uint32 { return min(mul(s, da), mul(d, sa)) })

// Lighten keeps the lighter of each channel.
var Lighten = separable(func(s, sa, d, da uint32) uint32 { return max(mul(s, da), mul(d, sa)) })
