package animate

import "math"

// toward is the colour between c and v, by each of its dimensions. The opacity stays.
func toward(c, v [4]float64, k amount) [4]float64 {
	for i := range k {
		c[i] = mix(c[i], v[i], max(0, min(k[i], 1)))
	}
	return c
}

// shifted is a colour with other hue, saturation and brightness, each as a difference of parts of a whole, as in the model HSV.
func shifted(c [4]float64, hue, saturation, brightness float64) [4]float64 {
	h, s, v := hsv(c)
	h += hue
	h -= math.Floor(h)
	s, v = max(0, min(s+saturation, 1)), max(0, min(v+brightness, 1))
	for i, turn := range [...]float64{5, 3, 1} {
		k := math.Mod(turn+6*h, 6)
		c[i] = v - v*s*max(0, min(k, 4-k, 1))
	}
	return c
}

// hsv is the hue, saturation and value of a colour, each 0 to 1.
func hsv(c [4]float64) (h, s, v float64) {
	v = max(c[0], c[1], c[2])
	d := v - min(c[0], c[1], c[2])
	if d <= 0 || math.IsNaN(d) {
		return 0, 0, v
	}
	switch v {
	case c[0]:
		h = math.Mod((c[1]-c[2])/d+6, 6)
	case c[1]:
		h = (c[2]-c[0])/d + 2
	default:
		h = (c[0]-c[1])/d + 4
	}
	return h / 6, d / v, v
}
