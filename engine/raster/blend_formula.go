package raster

// straight makes a Blend from a formula for one channel of colours that are not premultiplied, 0 to 1.
func straight(mix func(s, d float64) float64) Blend {
	return separable(func(s, sa, d, da uint32) uint32 {
		if da == 0 {
			return 0
		}
		v := unit(mix(float64(s)/float64(sa), float64(d)/float64(da)))
		return uint32(v*float64(sa*da)/255 + 0.5)
	})
}

// wholeColor makes a Blend from a formula for whole colours that are not premultiplied, 0 to 1.
func wholeColor(mix func(s, d [3]float64) [3]float64) Blend {
	return func(dst, src []uint8, _ Span) {
		for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
			p, q := src[i:i+4:i+4], dst[i:i+4:i+4]
			sa, da := uint32(p[3]), uint32(q[3])
			if sa == 0 {
				continue
			}
			var mixed [3]float64
			if da > 0 {
				mixed = mix(plain(p), plain(q))
			}
			a := over(sa, da)
			for c := range 3 {
				v := uint32(unit(mixed[c])*float64(sa*da)/255+0.5) + mul(uint32(p[c]), 255-da) + mul(uint32(q[c]), 255-sa)
				q[c] = uint8(min(v, a))
			}
			q[3] = uint8(a)
		}
	}
}

// plain is the colour, not premultiplied, of a premultiplied pixel that is not transparent.
func plain(p []uint8) [3]float64 {
	a := float64(p[3])
	return [3]float64{float64(p[0]) / a, float64(p[1]) / a, float64(p[2]) / a}
}
