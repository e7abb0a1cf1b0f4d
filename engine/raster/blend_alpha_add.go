package raster

// AlphaAdd is Normal, but for alphas that complement each other, which are added: two edges that touch leave no seam. That is the operator
// "disjoint over" of the X Rendering Extension (protocol version 0.11, section 6).
func AlphaAdd(dst, src []uint8, _ Span) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		sa, da := uint32(s[3]), uint32(d[3])
		if sa == 0 {
			continue
		}
		left := min(da, 255-sa) // of the backdrop
		a := sa + left
		for c := range 3 {
			v := uint32(s[c])
			if left > 0 {
				v += (uint32(d[c])*left + da/2) / da
			}
			d[c] = uint8(min(v, a))
		}
		d[3] = uint8(a)
	}
}
