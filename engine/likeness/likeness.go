// Package likeness measures how similar two pictures are.
package likeness

import (
	"image"

	"overcrank/engine/raster"
)

// The comparison uses square windows, in pixels, that overlap by half.
const (
	window = 8
	stride = window / 2
)

// The constants of the structural similarity of 8-bit values; they keep it stable where a window is black or flat.
const (
	steadyMean     = (0.01 * 255) * (0.01 * 255)
	steadyVariance = (0.03 * 255) * (0.03 * 255)
)

// Structural is the structural similarity (SSIM, after Wang et al. 2004) of the brightness of two pictures of the same
// size: 1 for equal pictures, about 0 for unrelated ones. Windows that touch a rectangle of leaveOut, in pixels from the
// top left corner, are ignored. For pictures of different sizes it is 0.
func Structural(a, b *raster.Image, leaveOut []image.Rectangle) float64 {
	w, h := a.Rect.Dx(), a.Rect.Dy()
	if w != b.Rect.Dx() || h != b.Rect.Dy() {
		return 0
	}
	la, lb := brightness(a), brightness(b)
	sum, count := 0.0, 0
	for y := 0; y+window <= h; y += stride {
		for x := 0; x+window <= w; x += stride {
			if touches(image.Rect(x, y, x+window, y+window), leaveOut) {
				continue
			}
			sum += similarity(la, lb, y*w+x, w)
			count++
		}
	}
	if count == 0 {
		return 0
	}
	return sum / float64(count)
}

// similarity is the similarity of the window whose first value is at start.
func similarity(a, b []float64, start, w int) float64 {
	var ma, mb, aa, bb, ab float64
	for j := range window {
		row := start + j*w
		for i := row; i < row+window; i++ {
			p, q := a[i], b[i]
			ma, mb, aa, bb, ab = ma+p, mb+q, aa+p*p, bb+q*q, ab+p*q
		}
	}
	const n = window * window
	ma, mb = ma/n, mb/n
	va, vb, both := aa/n-ma*ma, bb/n-mb*mb, ab/n-ma*mb
	return (2*ma*mb + steadyMean) * (2*both + steadyVariance) / ((ma*ma + mb*mb + steadyMean) * (va + vb + steadyVariance))
}

// brightness is the luma (ITU-R BT.601) of every pixel, row by row.
func brightness(img *raster.Image) []float64 {
	out := make([]float64, 0, img.Rect.Dx()*img.Rect.Dy())
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		for i := 0; i < len(row); i += 4 {
			out = append(out, 0.299*float64(row[i])+0.587*float64(row[i+1])+0.114*float64(row[i+2]))
		}
	}
	return out
}

func touches(r image.Rectangle, places []image.Rectangle) bool {
	for _, p := range places {
		if r.Overlaps(p) {
			return true
		}
	}
	return false
}
