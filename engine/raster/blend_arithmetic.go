package raster

import "math"

// Subtract subtracts the source from the backdrop.
var Subtract = straight(subtract)

func subtract(s, d float64) float64 { return d - s }

// Divide divides the backdrop by the source; black gives white.
var Divide = straight(divide)

func divide(s, d float64) float64 {
	if s <= 0 {
		return 1
	}
	return math.Min(1, d/s)
}
