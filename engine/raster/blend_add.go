package raster

// Add sums the colours, up to white.
func Add(dst, src []uint8, _ Span) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		a := over(uint32(src[i+3]), uint32(dst[i+3]))
		for c := i; c < i+3; c++ {
			dst[c] = uint8(min(uint32(src[c])+uint32(dst[c]), a))
		}
		dst[i+3] = uint8(a)
	}
}
