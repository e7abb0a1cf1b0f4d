package raster

import (
	"image"
	"math"
)

// maxSigma limits a blur, and with it the memory for its surroundings.
const maxSigma = 500

// BlurReach is how far a blur with this standard deviation extends, in pixels.
func BlurReach(sigma float64) int {
	n := 0
	for _, r := range boxRadii(sigma) {
		n += r
	}
	return n
}

// boxRadii are the radii of three box blurs that together approximate a Gaussian blur.
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

// BlurAlpha blurs a mask by the standard deviations sx and sy, in pixels. Beyond its border it is transparent.
func BlurAlpha(m *image.Alpha, sx, sy float64) {
	blur(plane{m.Pix, m.Stride, m.Rect.Dx(), m.Rect.Dy(), 1}, sx, sy)
}

// Blur blurs an image by the standard deviations sx and sy, in pixels. Beyond its border it is transparent.
func Blur(img *Image, sx, sy float64) {
	blur(plane{img.Pix, img.Stride, img.Rect.Dx(), img.Rect.Dy(), 4}, sx, sy)
}

// plane is w by h pixels of several channels.
type plane struct {
	pix          []uint8
	stride, w, h int
	channels     int
}

func blur(p plane, sx, sy float64) {
	if p.w == 0 || p.h == 0 {
		return
	}
	line := make([]uint8, p.w)
	for _, r := range boxRadii(sx) {
		for y := 0; r > 0 && y < p.h; y++ {
			for c := range p.channels {
				p.along(p.pix[y*p.stride+c:], r, line)
			}
		}
	}
	for _, r := range boxRadii(sy) {
		if r > 0 {
			p.down(r)
		}
	}
}

// along is a box blur of one channel of a row.
func (p plane) along(v []uint8, r int, line []uint8) {
	size := uint32(2*r + 1)
	sum := uint32(0)
	for i := range min(r, p.w) {
		sum += uint32(v[i*p.channels])
	}
	for i := range p.w {
		if i+r < p.w {
			sum += uint32(v[(i+r)*p.channels])
		}
		if i-r-1 >= 0 {
			sum -= uint32(v[(i-r-1)*p.channels])
		}
		line[i] = uint8((sum + size/2) / size)
	}
	for i := range p.w {
		v[i*p.channels] = line[i]
	}
}

// down is a box blur of all columns at once, row by row, since memory is read along rows.
func (p plane) down(r int) {
	n := p.w * p.channels
	size := uint32(2*r + 1)
	before := make([]uint8, n*p.h)
	for y := range p.h {
		copy(before[y*n:(y+1)*n], p.pix[y*p.stride:])
	}
	row := func(y int) []uint8 { return before[y*n : (y+1)*n] }
	sums := make([]uint32, n)
	for y := range min(r, p.h) {
		for i, v := range row(y) {
			sums[i] += uint32(v)
		}
	}
	for y := range p.h {
		if y+r < p.h {
			for i, v := range row(y + r) {
				sums[i] += uint32(v)
			}
		}
		if y-r-1 >= 0 {
			for i, v := range row(y - r - 1) {
				sums[i] -= uint32(v)
			}
		}
		out := p.pix[y*p.stride:][:n]
		for i, sum := range sums {
			out[i] = uint8((sum + size/2) / size)
		}
	}
}
