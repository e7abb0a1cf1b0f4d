package vector

import (
	"math"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
)

// Morphology makes what is seen thicker, or thinner: each value becomes the greatest, or the least, of those around it, as far as X and Y in units of
// the filter. Where either is nothing, nothing changes.
type Morphology struct {
	X, Y float64
	Thin bool
}

// pixels are the radii in whole pixels.
func (o Morphology) pixels(scale geom.Point) (x, y int) {
	const most = 2_000
	return int(math.Round(min(most, o.X*scale.X))), int(math.Round(min(most, o.Y*scale.Y)))
}

func (o Morphology) reach(scale geom.Point) float64 {
	x, y := o.pixels(scale)
	return float64(max(x, y))
}

func (o Morphology) apply(dst *deep.Image, in []*deep.Image, scale geom.Point) {
	deep.Copy(dst, in[0])
	if !(o.X > 0 && o.Y > 0) {
		return
	}
	of := func(a, b float32) float32 { return max(a, b) }
	if o.Thin {
		of = func(a, b float32) float32 { return min(a, b) }
	}
	x, y := o.pixels(scale)
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	across, down := newWindow(w, x, of), newWindow(h, y, of)
	for row := range h {
		for c := range 4 {
			across.slide(dst.Pix[row*dst.Stride+c:], 4)
		}
	}
	for i := range 4 * w {
		down.slide(dst.Pix[i:], dst.Stride)
	}
}

// window finds the extreme of the values within a radius of each of a line, with three comparisons for each (van Herk, A fast algorithm for local
// minimum and maximum filters, 1992). Beyond the ends of the line nothing is.
type window struct {
	n, radius       int
	of              func(a, b float32) float32
	line            []float32 // with the radius before and after it
	forward, behind []float32 // extremes from the beginning of each block, and up to its end
}

func newWindow(n, radius int, of func(a, b float32) float32) *window {
	radius = min(radius, n)
	size := n + 2*radius
	return &window{n: n, radius: radius, of: of, line: make([]float32, size), forward: make([]float32, size), behind: make([]float32, size)}
}

// slide replaces the values of a line, step numbers apart.
func (w *window) slide(pix []float32, step int) {
	for i := range w.n {
		w.line[w.radius+i] = pix[i*step]
	}
	block, last := 2*w.radius+1, len(w.line)-1
	for i, v := range w.line {
		if w.forward[i] = v; i%block != 0 {
			w.forward[i] = w.of(v, w.forward[i-1])
		}
	}
	for i := last; i >= 0; i-- {
		if w.behind[i] = w.line[i]; i != last && (i+1)%block != 0 {
			w.behind[i] = w.of(w.line[i], w.behind[i+1])
		}
	}
	for i := range w.n {
		pix[i*step] = w.of(w.behind[i], w.forward[i+2*w.radius])
	}
}
