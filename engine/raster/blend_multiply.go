package raster

// Multiply multiplies the colours, which darkens.
func Multiply(dst, src []uint8, _ Span) {
	n := min(len(dst), len(src)) &^ 3
	dst, src = dst[:n], src[:n]
	for wide && len(dst) >= 32 {
		done := 4 * multiplyWide(&dst[0], &src[0], len(dst)/32*8)
		dst, src = dst[done:], src[done:]
		few := min(32, len(dst)) // by what stopped it
		multiplyRow(dst[:few], src[:few])
		dst, src = dst[few:], src[few:]
	}
	multiplyRow(dst, src)
}

// multiplyRow is Multiply for rows of whole pixels.
func multiplyRow(dst, src []uint8) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		sa, da := uint32(s[3]), uint32(d[3])
		switch {
		case sa == 0:
		case da == 255: // what is multiplied mostly lies on something opaque; then s*d + d*(1-sa) is one product
			rest := 255 - sa
			d[0] = uint8(mul(uint32(d[0]), min(uint32(s[0])+rest, 255)))
			d[1] = uint8(mul(uint32(d[1]), min(uint32(s[1])+rest, 255)))
			d[2] = uint8(mul(uint32(d[2]), min(uint32(s[2])+rest, 255)))
		default:
			a := over(sa, da)
			for c := range 3 {
				v := mul(uint32(s[c]), uint32(d[c])) + mul(uint32(s[c]), 255-da) + mul(uint32(d[c]), 255-sa)
				d[c] = uint8(min(v, a))
			}
			d[3] = uint8(a)
		}
	}
}
