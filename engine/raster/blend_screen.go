package raster

// Screen multiplies the inverses of the colours, which lightens. On premultiplied values that is s + d - s*d, for any
// alphas.
func Screen(dst, src []uint8, _ Span) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		if s[3] == 0 {
			continue
		}
		a := over(uint32(s[3]), uint32(d[3]))
		for c := range 3 {
			p, q := uint32(s[c]), uint32(d[c])
			d[c] = uint8(min(p+q-mul(p, q), a))
		}
		d[3] = uint8(a)
	}
}
