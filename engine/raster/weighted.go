package raster

// Weighted makes dst the mean of pictures by their weights, whose sum is 1. All have as many pixels.
func Weighted(dst *Image, of []*Image, weights []float64) {
	const one = 1 << 16
	shares, rest := make([]uint32, len(of)), uint32(one)
	for i, w := range weights {
		shares[i] = min(rest, uint32(unit(w)*one+0.5))
		rest -= shares[i]
	}
	if len(shares) > 0 { // what rounding left
		shares[0] += rest
	}
	w := 4 * dst.Rect.Dx()
	for y := range dst.Rect.Dy() {
		row := dst.Pix[y*dst.Stride:][:w]
		for x := range row {
			sum := uint32(one / 2)
			for i, img := range of {
				sum += uint32(img.Pix[y*img.Stride+x]) * shares[i]
			}
			row[x] = uint8(sum / one)
		}
	}
}
