package deep

import "overcrank/engine/raster"

// Mode is the blend mode with a name from After Effects' menus, in English; false when there is none of that name. pattern distinguishes the
// pixels that modes show which dissolve. Colours that cover each other are limited to what lies between black and white unless beyond is true.
func Mode(name string, pattern uint64, beyond bool) (Blend, bool) {
	switch name {
	case "Dissolve", "Dancing Dissolve":
		return dissolve(pattern), true
	}
	if b, ok := modes[name]; ok {
		return b, true
	}
	if mix, ok := raster.Formula(name); ok {
		if !beyond {
			return separable(func(s, d float64) float64 { return max(0, min(1, mix(s, d))) }), true
		}
		return separable(mix), true
	}
	if mix, ok := raster.ColorFormula(name); ok {
		return wholeColor(mix), true
	}
	return nil, false
}

// modes are those that are no formula for colours that cover each other.
var modes = map[string]Blend{
	"Normal": Normal, "Add": add, "Linear Dodge": add, "Screen": screen, "Alpha Add": alphaAdd, "Luminescent Premul": luminescent,
	"Stencil Alpha": cut(alpha), "Silhouette Alpha": cut(func(px []float32) float32 { return 1 - alpha(px) }),
	"Stencil Luma": cut(luma), "Silhouette Luma": cut(func(px []float32) float32 { return 1 - luma(px) }),
}

// Normal draws src over dst.
func Normal(dst, src []float32, _ raster.Span) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		rest := 1 - s[3]
		d[0], d[1], d[2], d[3] = s[0]+d[0]*rest, s[1]+d[1]*rest, s[2]+d[2]*rest, s[3]+d[3]*rest
	}
}

// add sums the colours. In 32 bits nothing ends at white.
func add(dst, src []float32, _ raster.Span) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		d[0], d[1], d[2], d[3] = s[0]+d[0], s[1]+d[1], s[2]+d[2], over(s[3], d[3])
	}
}

// screen is s + d - s*d of premultiplied values, for any alphas.
func screen(dst, src []float32, _ raster.Span) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		for c := range d {
			d[c] += s[c] - s[c]*d[c]
		}
	}
}

// over is the alpha of two layers, one over the other.
func over(a, b float32) float32 { return a + b - a*b }

// number is v; 0 for what is not a number: formulas were made for colours from black to white.
func number(v float64) float32 {
	if v != v {
		return 0
	}
	return float32(v)
}

// separable makes a Blend from a formula for one channel of colours that are not premultiplied.
func separable(mix func(s, d float64) float64) Blend {
	return func(dst, src []float32, _ raster.Span) {
		for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
			s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
			sa, da := s[3], d[3]
			if sa == 0 {
				continue
			}
			for c := range 3 {
				v := s[c]*(1-da) + d[c]*(1-sa)
				if da != 0 {
					v += sa * da * number(mix(float64(s[c]/sa), float64(d[c]/da)))
				}
				d[c] = v
			}
			d[3] = over(sa, da)
		}
	}
}

// wholeColor makes a Blend from a formula for whole colours that are not premultiplied.
func wholeColor(mix func(s, d [3]float64) [3]float64) Blend {
	return func(dst, src []float32, _ raster.Span) {
		for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
			s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
			sa, da := s[3], d[3]
			if sa == 0 {
				continue
			}
			var mixed [3]float64
			if da != 0 {
				a, b := straight([4]float32(s)), straight([4]float32(d))
				mixed = mix([3]float64(a[:3]), [3]float64(b[:3]))
			}
			for c := range 3 {
				d[c] = s[c]*(1-da) + d[c]*(1-sa) + sa*da*number(mixed[c])
			}
			d[3] = over(sa, da)
		}
	}
}

func alpha(px []float32) float32 { return px[3] }

func luma(px []float32) float32 {
	return max(0, min(1, 0.2126*px[0]+0.7152*px[1]+0.0722*px[2]))
}

// cut makes a Blend that keeps a share of the backdrop.
func cut(share func(px []float32) float32) Blend {
	return func(dst, src []float32, _ raster.Span) {
		for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
			d, k := dst[i:i+4:i+4], share(src[i:i+4:i+4])
			d[0], d[1], d[2], d[3] = d[0]*k, d[1]*k, d[2]*k, d[3]*k
		}
	}
}

// alphaAdd is raster.AlphaAdd.
func alphaAdd(dst, src []float32, _ raster.Span) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		left := min(d[3], 1-s[3]) // of the backdrop
		for c := range 3 {
			v := s[c]
			if left > 0 {
				v += d[c] * left / d[3]
			}
			d[c] = v
		}
		d[3] = s[3] + left
	}
}

// luminescent is raster.LuminescentPremul.
func luminescent(dst, src []float32, at raster.Span) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		if s[3] == 0 {
			continue
		}
		undo := float32(at.Opacity) / s[3]
		for c := range 3 {
			d[c] = s[c]*undo + d[c]*(1-s[3])
		}
		d[3] = over(s[3], d[3])
	}
}

// dissolve shows each pixel of the source either whole or not at all, in the pattern of raster.Dissolve.
func dissolve(pattern uint64) Blend {
	return func(dst, src []float32, at raster.Span) {
		for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
			s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
			if s[3] <= 0 || s[3] < 1 && raster.Chance(pattern, at.X+i/4, at.Y) >= s[3] {
				continue
			}
			d[0], d[1], d[2], d[3] = s[0]/s[3], s[1]/s[3], s[2]/s[3], 1
		}
	}
}
