package raster

import "math"

// Subtract subtracts the source from the backdrop.
var Subtract = straight(func(s, d float64) float64 { return d - s })

// Divide divides the backdrop by the source; black gives white.
var Divide = straight(func(s, d float64) float64 {
	if s <= 0 {
		return 1
	}
	return math.Min(1, d/s)
})
