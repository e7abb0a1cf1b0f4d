package raster

// Overlay multiplies where the backdrop is dark and screens where it is light.
var Overlay = separable(func(s, sa, d, da uint32) uint32 { return hard(d, da, s, sa) })

// HardLight multiplies where the source is dark and screens where it is light.
var HardLight = separable(hard)

func hard(s, sa, d, da uint32) uint32 {
	if 2*s <= sa {
		return 2 * mul(s, d)
	}
	return mul(sa, da) - min(mul(sa, da), 2*mul(da-min(d, da), sa-min(s, sa)))
}
