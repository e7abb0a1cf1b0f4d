package raster

import "math"

// The formulas of dodge and burn are those of ISO 32000-1, 11.3.5.

// ColorDodge brightens the backdrop to reflect the source; black changes nothing.
var ColorDodge = straight(dodge)

// ColorBurn darkens the backdrop to reflect the source; white changes nothing.
var ColorBurn = straight(burn)

// LinearBurn sums the colours and subtracts white.
var LinearBurn = straight(linearBurn)

func linearBurn(s, d float64) float64 { return s + d - 1 }

func dodge(s, d float64) float64 {
	switch {
	case d <= 0:
		return 0
	case s >= 1:
		return 1
	}
	return math.Min(1, d/(1-s))
}

func burn(s, d float64) float64 {
	switch {
	case d >= 1:
		return 1
	case s <= 0:
		return 0
	}
	return 1 - math.Min(1, (1-d)/s)
}
