package raster

import "math"

// Formula is what a blend mode makes of a channel of the source and of the backdrop where both are opaque, 0 to 1, for pictures that are not
// rounded to bytes; false for modes that are no such formula.
func Formula(name string) (mix func(s, d float64) float64, ok bool) {
	mix, ok = formulas[name]
	return mix, ok
}

// ColorFormula is Formula for the modes that take a colour as a whole.
func ColorFormula(name string) (mix func(s, d [3]float64) [3]float64, ok bool) {
	mix, ok = colorFormulas[name]
	return mix, ok
}

var formulas = map[string]func(s, d float64) float64{
	"Darken": math.Min, "Lighten": math.Max, "Multiply": func(s, d float64) float64 { return s * d },
	"Color Burn": burn, "Classic Color Burn": burn, "Linear Burn": linearBurn,
	"Color Dodge": dodge, "Classic Color Dodge": dodge,
	"Overlay": func(s, d float64) float64 { return hardLight(d, s) }, "Hard Light": hardLight, "Soft Light": softLight,
	"Linear Light": linearLight, "Vivid Light": vivid, "Pin Light": pinLight, "Hard Mix": hardMix,
	"Difference": difference, "Classic Difference": difference,
	"Exclusion": func(s, d float64) float64 { return s + d - 2*s*d }, "Subtract": subtract, "Divide": divide,
}

var colorFormulas = map[string]func(s, d [3]float64) [3]float64{
	"Hue": hueOf, "Saturation": saturationOf, "Color": chroma, "Luminosity": luminosity,
	"Lighter Color": lighterColor, "Darker Color": darkerColor,
}

func hardLight(s, d float64) float64 {
	if s <= 0.5 {
		return 2 * s * d
	}
	return 1 - 2*(1-s)*(1-d)
}

func difference(s, d float64) float64 { return math.Abs(s - d) }
