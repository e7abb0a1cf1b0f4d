package raster

// Multiply multiplies the colours, which darkens.
func Multiply(dst, src []uint8, _ Span) {
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
