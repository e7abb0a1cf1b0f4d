package raster

// LuminescentPremul takes the colours of the source as if they had been multiplied by their alpha already: of a source s that is not, over a
// backdrop d, it makes s + d*(1-alpha). So light that exceeds its alpha is added, as Adobe describes the mode (After Effects 5.5 Help, page
// 168). What exceeds the alpha of the result is lost, and so is the light of pixels without alpha.
func LuminescentPremul(dst, src []uint8, at Span) {
	for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
		s, d := src[i:i+4:i+4], dst[i:i+4:i+4]
		sa := uint32(s[3])
		if sa == 0 {
			continue
		}
		a := over(sa, uint32(d[3]))
		undo := 255 * unit(at.Opacity) / float64(sa)
		for c := range 3 {
			light := uint32(min(float64(s[c])*undo, 255) + 0.5)
			d[c] = uint8(min(light+mul(uint32(d[c]), 255-sa), a))
		}
		d[3] = uint8(a)
	}
}
