package likeness

import (
	"math"

	"overcrank/engine/raster"
)

// Difference is the mean difference of two pictures of the same size, over all pixels and all four channels: 0 to 255. For pictures of
// different sizes it is 255.
func Difference(a, b *raster.Image) float64 {
	sum, n := 0.0, eachValue(a, b, nil)
	if n == 0 {
		return 255
	}
	eachValue(a, b, func(d float64) { sum += math.Abs(d) })
	return sum / float64(n)
}

// Peak is the ratio of the largest value to the noise between two pictures of the same size (PSNR, in decibels), over all pixels and all
// four channels. It is infinite for equal pictures, and 0 for pictures of different sizes.
func Peak(a, b *raster.Image) float64 {
	sum, n := 0.0, eachValue(a, b, nil)
	if n == 0 {
		return 0
	}
	eachValue(a, b, func(d float64) { sum += d * d })
	return 10 * math.Log10(255*255*float64(n)/sum)
}

// eachValue calls see for the difference of each value of two pictures, and returns their number: 0 when the sizes differ.
func eachValue(a, b *raster.Image, see func(d float64)) int {
	w, h := a.Rect.Dx(), a.Rect.Dy()
	if w != b.Rect.Dx() || h != b.Rect.Dy() {
		return 0
	}
	for y := 0; y < h && see != nil; y++ {
		p := a.Pix[a.PixOffset(a.Rect.Min.X, a.Rect.Min.Y+y):][:4*w]
		q := b.Pix[b.PixOffset(b.Rect.Min.X, b.Rect.Min.Y+y):][:4*w]
		for i := range p {
			see(float64(p[i]) - float64(q[i]))
		}
	}
	return 4 * w * h
}
