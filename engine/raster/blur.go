package raster

import (
	"image"
	"math"
)

// maxSigma limits a blur, and with it the memory for its surroundings. maxBox limits the radius of a box in the same way.
const (
	maxSigma = 500
	maxBox   = 2000
)

// BlurReach is how far a blur with this standard deviation extends, in pixels.
func BlurReach(sigma float64) int { return Gaussian(sigma, 0).Reach() }

// BlurAlpha blurs a mask by the standard deviations sx and sy, in pixels. Beyond its border it is transparent.
func BlurAlpha(m *image.Alpha, sx, sy float64) { Gaussian(sx, sy).Alpha(m) }

// Blur blurs an image by the standard deviations sx and sy, in pixels. Beyond its border it is transparent.
func Blur(img *Image, sx, sy float64) { Gaussian(sx, sy).Image(img) }

// Blurring is a blur by boxes, one after another, across and down.
type Blurring struct {
	Across, Down []float64 // radii, in pixels; what has a fraction takes a part of the pixel beyond
	Repeat       bool      // beyond the border lie its pixels again, and not nothing
}

// Gaussian approximates a Gaussian blur by standard deviations, in pixels.
func Gaussian(sx, sy float64) Blurring {
	return Blurring{Across: boxRadii(sx), Down: boxRadii(sy)}
}

// Boxes blurs a number of times by radii, in pixels.
func Boxes(rx, ry float64, times int) Blurring {
	var b Blurring
	for range times {
		b.Across, b.Down = append(b.Across, rx), append(b.Down, ry)
	}
	return b
}

// boxRadii are the radii of three box blurs that together approximate a Gaussian blur: whole ones, of the same variance.
func boxRadii(sigma float64) []float64 {
	if !(sigma > 0) {
		return nil
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
	out := make([]float64, n)
	for i := range out {
		if i < m {
			out[i] = (l - 1) / 2
		} else {
			out[i] = (l + 1) / 2
		}
	}
	return out
}

// Reach is how far the blur extends, in pixels.
func (b Blurring) Reach() int {
	across, down := 0, 0
	for _, box := range boxesOf(b.Across) {
		across += box.reach()
	}
	for _, box := range boxesOf(b.Down) {
		down += box.reach()
	}
	return max(across, down)
}

// Image blurs an image within its bounds.
func (b Blurring) Image(img *Image) {
	b.plane(img.Pix, img.Stride, img.Rect.Dx(), img.Rect.Dy(), 4)
}

// Alpha blurs a mask within its bounds.
func (b Blurring) Alpha(m *image.Alpha) {
	b.plane(m.Pix, m.Stride, m.Rect.Dx(), m.Rect.Dy(), 1)
}

// box is a mean of 2r+1 values and a part of the two beyond them.
type box struct {
	r    int
	part uint32 // of 256
	inv  uint64 // 2^40 divided by the sum of the weights, rounded up
}

// boxesOf are the boxes of radii that change something.
func boxesOf(radii []float64) []box {
	var out []box
	for _, radius := range radii {
		if !(radius > 0) {
			continue
		}
		radius = math.Min(radius, maxBox)
		b := box{r: int(radius)}
		b.part = uint32((radius - float64(b.r)) * 256)
		if b.r == 0 && b.part == 0 {
			continue
		}
		weights := uint64(2*b.r+1)<<8 + 2*uint64(b.part)
		b.inv = (1<<40 + weights - 1) / weights
		out = append(out, b)
	}
	return out
}

func (b *box) reach() int {
	if b.part > 0 {
		return b.r + 1
	}
	return b.r
}

// mean is the rounded mean of the values within, whose sum is given, and of the two at the ends.
func (b *box) mean(sum, ends uint32) uint8 {
	return uint8((uint64(sum<<8+ends*b.part)*b.inv + 1<<39) >> 40)
}

// strip is the number of bytes beside each other that are blurred down at once: a line of the processor's cache.
const strip = 64

// plane blurs w by h pixels of 1 or 4 channels.
func (b Blurring) plane(pix []uint8, stride, w, h, channels int) {
	if w == 0 || h == 0 {
		return
	}
	if boxes := boxesOf(b.Across); len(boxes) > 0 {
		l := newLane(boxes, w, channels, b.Repeat)
		for y := range h {
			row := pix[y*stride:][:w*channels]
			copy(l.in(), row)
			l.blur(boxes)
			copy(row, l.in())
		}
	}
	if boxes := boxesOf(b.Down); len(boxes) > 0 {
		n := w * channels
		l := newLane(boxes, h, strip, b.Repeat)
		for x := 0; x < n; x += strip {
			wide := min(strip, n-x)
			column := l.in()
			for y := range h {
				copy(column[y*strip:y*strip+wide], pix[y*stride+x:])
			}
			l.blur(boxes)
			column = l.in()
			for y := range h {
				copy(pix[y*stride+x:y*stride+x+wide], column[y*strip:])
			}
		}
	}
}

// lane is a line of cells of some bytes each, with room for a blur at both ends.
type lane struct {
	n, cell, pad int
	repeat       bool
	now, next    []uint8
	sums         []uint32
}

func newLane(boxes []box, n, cell int, repeat bool) *lane {
	pad := 0
	for _, b := range boxes {
		pad = max(pad, b.r+1)
	}
	size := (n + 2*pad) * cell
	return &lane{n: n, cell: cell, pad: pad, repeat: repeat, now: make([]uint8, size), next: make([]uint8, size), sums: make([]uint32, cell)}
}

// in are the cells themselves.
func (l *lane) in() []uint8 { return l.now[l.pad*l.cell : (l.pad+l.n)*l.cell] }

func (l *lane) blur(boxes []box) {
	for i := range boxes {
		l.border()
		if l.cell == 4 {
			l.pixels(&boxes[i])
		} else {
			l.cells(&boxes[i])
		}
		l.now, l.next = l.next, l.now
	}
}

// border fills what lies beyond the ends.
func (l *lane) border() {
	before, after := l.now[:l.pad*l.cell], l.now[(l.pad+l.n)*l.cell:]
	if !l.repeat {
		clear(before)
		clear(after)
		return
	}
	in := l.in()
	for i := 0; i < len(before); i += l.cell {
		copy(before[i:], in[:l.cell])
		copy(after[i:], in[len(in)-l.cell:])
	}
}

// pixels is a box blur of cells of four bytes.
func (l *lane) pixels(b *box) {
	src := l.now[4*(l.pad-b.r-1):]
	dst := l.next[4*l.pad:][:4*l.n]
	var s0, s1, s2, s3 uint32
	for i := 4; i < 4*(2*b.r+2); i += 4 {
		s0, s1, s2, s3 = s0+uint32(src[i]), s1+uint32(src[i+1]), s2+uint32(src[i+2]), s3+uint32(src[i+3])
	}
	tail, head := src, src[4*(2*b.r+2):]
	for i := 0; i+4 <= len(dst); i += 4 {
		out, t, u, h := dst[i:i+4:i+4], tail[i:i+4:i+4], tail[i+4:i+8:i+8], head[i:i+4:i+4]
		out[0] = b.mean(s0, uint32(t[0])+uint32(h[0]))
		out[1] = b.mean(s1, uint32(t[1])+uint32(h[1]))
		out[2] = b.mean(s2, uint32(t[2])+uint32(h[2]))
		out[3] = b.mean(s3, uint32(t[3])+uint32(h[3]))
		s0 += uint32(h[0]) - uint32(u[0])
		s1 += uint32(h[1]) - uint32(u[1])
		s2 += uint32(h[2]) - uint32(u[2])
		s3 += uint32(h[3]) - uint32(u[3])
	}
}

// cells is a box blur of cells of any number of bytes.
func (l *lane) cells(b *box) {
	n := l.cell
	src := l.now[n*(l.pad-b.r-1):]
	dst := l.next[n*l.pad:]
	sums := l.sums
	clear(sums)
	for i := 1; i < 2*b.r+2; i++ {
		for j, v := range src[i*n : (i+1)*n] {
			sums[j] += uint32(v)
		}
	}
	for i := range l.n {
		tail, leaves := src[i*n:][:n], src[(i+1)*n:][:n]
		head, out := src[(i+2*b.r+2)*n:][:n], dst[i*n:][:n]
		for j := range sums {
			h := uint32(head[j])
			out[j] = b.mean(sums[j], uint32(tail[j])+h)
			sums[j] += h - uint32(leaves[j])
		}
	}
}
