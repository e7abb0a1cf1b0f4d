package raster

import (
	"image"
	"math"
)

// maxSigma bounds a blur, and with it the memory around what is blurred.
const maxSigma = 500

// BlurReach is how far, in pixels, a blur of this deviation carries.
func BlurReach(sigma float64) int {
	n := 0
	for _, r := range boxRadii(sigma) {
		n += r
	}
	return n
}

// boxRadii are the radii of three box blurs that together come close to a Gaussian one.
func boxRadii(sigma float64) [3]int {
	if !(sigma > 0) {
		return [3]int{}
	}
	sigma = math.Min(sigma, maxSigma)
	const n = 3
	ideal := math.Sqrt(12*sigma*sigma/n + 1)
	low := int(ideal)
	if low%2 == 0 {
		low--
	}
	l := float64(low)
	m := int(math.Round((12*sigma*sigma - n*l*l - 4*n*l - 3*n) / (-4*l - 4)))
	var out [3]int
	for i := range out {
		if i < m {
			out[i] = (low - 1) / 2
		} else {
			out[i] = (low + 1) / 2
		}
	}
	return out
}

// BlurAlpha blurs a mask by the deviations sx and sy, in pixels. Beyond its border lies nothing.
func BlurAlpha(m *image.Alpha, sx, sy float64) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	line := make([]uint8, max(w, h))
	for _, r := range boxRadii(sx) {
		for y := 0; r > 0 && y < h; y++ {
			box(m.Pix[y*m.Stride:], 1, w, r, line)
		}
	}
	for _, r := range boxRadii(sy) {
		for x := 0; r > 0 && x < w; x++ {
			box(m.Pix[x:], m.Stride, h, r, line)
		}
	}
}

// Blur blurs an image by the deviations sx and sy, in pixels. Beyond its border lies nothing.
func Blur(img *Image, sx, sy float64) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	line := make([]uint8, max(w, h))
	for _, r := range boxRadii(sx) {
		for y := 0; r > 0 && y < h; y++ {
			for c := range 4 {
				box(img.Pix[y*img.Stride+c:], 4, w, r, line)
			}
		}
	}
	for _, r := range boxRadii(sy) {
		for x := 0; r > 0 && x < 4*w; x++ {
			box(img.Pix[x:], img.Stride, h, r, line)
		}
	}
}

// box is a box blur of n values that lie step apart.
func box(v []uint8, step, n, r int, line []uint8) {
	size := uint32(2*r + 1)
	sum := uint32(0)
	for i := 0; i < min(r, n); i++ {
		sum += uint32(v[i*step])
	}
	for i := range n {
		if i+r < n {
			sum += uint32(v[(i+r)*step])
		}
		if i-r-1 >= 0 {
			sum -= uint32(v[(i-r-1)*step])
		}
		line[i] = uint8((sum + size/2) / size)
	}
	for i := range n {
		v[i*step] = line[i]
	}
}
