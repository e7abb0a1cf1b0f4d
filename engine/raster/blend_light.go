package raster

import "math"

// SoftLight darkens or brightens gently, by the formula of ISO 32000-1, 11.3.5.
var SoftLight = straight(softLight)

func softLight(s, d float64) float64 {
	if s <= 0.5 {
		return d - (1-2*s)*d*(1-d)
	}
	root := math.Sqrt(d)
	if d <= 0.25 {
		root = ((16*d-12)*d + 4) * d
	}
	return d + (2*s-1)*(root-d)
}

// LinearLight is LinearBurn where the source is dark and Add where it is light.
var LinearLight = straight(linearLight)

func linearLight(s, d float64) float64 { return d + 2*s - 1 }

// VividLight is ColorBurn where the source is dark and ColorDodge where it is light.
var VividLight = straight(vivid)

// PinLight is Darken where the source is dark and Lighten where it is light.
var PinLight = straight(pinLight)

func pinLight(s, d float64) float64 {
	if s <= 0.5 {
		return math.Min(d, 2*s)
	}
	return math.Max(d, 2*s-1)
}

// HardMix makes each channel either full or empty.
var HardMix = straight(hardMix)

func hardMix(s, d float64) float64 {
	if s+d < 1 {
		return 0
	}
	return 1
}

func vivid(s, d float64) float64 {
	if s <= 0.5 {
		return burn(2*s, d)
	}
	return dodge(2*s-1, d)
}
