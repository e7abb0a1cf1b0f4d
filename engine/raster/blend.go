package raster

// Blend draws a row of premultiplied RGBA pixels, src, over another row of the same length, dst.
type Blend func(dst, src []uint8, at Span)

// Span is where in a picture a row of pixels begins, and the opacity, 0 to 1, by which its pixels were multiplied.
type Span struct {
	X, Y    int
	Opacity float64
}

// mul is a*b/255, rounded.
func mul(a, b uint32) uint32 {
	v := a*b + 128
	return (v + v>>8) >> 8
}

// over is the alpha of two layers, one over the other.
func over(a, b uint32) uint32 { return a + b - mul(a, b) }

// separable makes a Blend from a formula for one channel. The formula gets premultiplied values and alphas of source and
// backdrop and returns the result where both are; where only one is, it is used as it is.
func separable(mix func(s, sa, d, da uint32) uint32) Blend {
	return func(dst, src []uint8, _ Span) {
		for i := 0; i+3 < len(src) && i+3 < len(dst); i += 4 {
			sa, da := uint32(src[i+3]), uint32(dst[i+3])
			if sa == 0 {
				continue
			}
			a := over(sa, da)
			for c := i; c < i+3; c++ {
				s, d := uint32(src[c]), uint32(dst[c])
				v := mix(s, sa, d, da) + mul(s, 255-da) + mul(d, 255-sa)
				dst[c] = uint8(min(v, a))
			}
			dst[i+3] = uint8(a)
		}
	}
}
