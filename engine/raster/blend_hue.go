package raster

// These modes take a colour as a whole. Their formulas are those of ISO 32000-1, 11.3.5.

// Hue has the hue of the source, and saturation and luminosity of the backdrop.
var Hue = wholeColor(hueOf)

func hueOf(s, d [3]float64) [3]float64 {
	return WithLuminosity(withSaturation(s, saturation(d)), LuminosityOf(d))
}

// Saturation has the saturation of the source, and hue and luminosity of the backdrop.
var Saturation = wholeColor(saturationOf)

func saturationOf(s, d [3]float64) [3]float64 {
	return WithLuminosity(withSaturation(d, saturation(s)), LuminosityOf(d))
}

// Chroma has the hue and saturation of the source, and the luminosity of the backdrop. After Effects calls it Color.
var Chroma = wholeColor(chroma)

func chroma(s, d [3]float64) [3]float64 { return WithLuminosity(s, LuminosityOf(d)) }

// Luminosity has the luminosity of the source, and hue and saturation of the backdrop.
var Luminosity = wholeColor(luminosity)

func luminosity(s, d [3]float64) [3]float64 { return WithLuminosity(d, LuminosityOf(s)) }

// LighterColor keeps the lighter of the two colours.
var LighterColor = wholeColor(lighterColor)

func lighterColor(s, d [3]float64) [3]float64 {
	if LuminosityOf(s) > LuminosityOf(d) {
		return s
	}
	return d
}

// DarkerColor keeps the darker of the two colours.
var DarkerColor = wholeColor(darkerColor)

func darkerColor(s, d [3]float64) [3]float64 {
	if LuminosityOf(s) < LuminosityOf(d) {
		return s
	}
	return d
}

// LuminosityOf is the luminosity of a colour, as these modes weigh it.
func LuminosityOf(c [3]float64) float64 { return 0.3*c[0] + 0.59*c[1] + 0.11*c[2] }

func saturation(c [3]float64) float64 { return max(c[0], c[1], c[2]) - min(c[0], c[1], c[2]) }

// WithLuminosity gives c a luminosity; where a channel would leave 0 to 1 it moves towards grey.
func WithLuminosity(c [3]float64, l float64) [3]float64 {
	off := l - LuminosityOf(c)
	for i := range c {
		c[i] += off
	}
	low, high := min(c[0], c[1], c[2]), max(c[0], c[1], c[2])
	k := 1.0
	if low < 0 {
		k = l / (l - low)
	}
	if high > 1 {
		k = min(k, (1-l)/(high-l))
	}
	for i := range c {
		c[i] = l + (c[i]-l)*k
	}
	return c
}

// withSaturation stretches c so that its channels span s; grey stays grey.
func withSaturation(c [3]float64, s float64) [3]float64 {
	low, span := min(c[0], c[1], c[2]), saturation(c)
	if span == 0 {
		return [3]float64{}
	}
	for i := range c {
		c[i] = (c[i] - low) / span * s
	}
	return c
}
