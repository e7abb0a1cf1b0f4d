package deep

import "overcrank/engine/raster"

// Blur blurs a picture within its bounds, as the Blurring of bytes does, without rounding.
func Blur(p *Image, b raster.Blurring) {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	if w == 0 || h == 0 {
		return
	}
	if across := useful(b.Across); len(across) > 0 {
		line := newLane(w)
		for y := range h {
			row := p.Pix[y*p.Stride:][:4*w]
			for _, r := range across {
				line.mean(row, 4, w, r, b.Repeat)
			}
		}
	}
	if down := useful(b.Down); len(down) > 0 {
		line := newLane(h)
		for x := range w {
			for _, r := range down {
				line.mean(p.Pix[4*x:], p.Stride, h, r, b.Repeat)
			}
		}
	}
}

// maxBox limits the radius of a box, as for bytes.
const maxBox = 2000

func useful(radii []float64) (out []float64) {
	for _, r := range radii {
		if r > 0 {
			out = append(out, min(r, maxBox))
		}
	}
	return out
}

// lane are the sums of the pixels before each of a line, so that the sum of any stretch is a difference.
type lane struct{ sums [][4]float64 }

func newLane(n int) *lane { return &lane{make([][4]float64, n+1)} }

// mean replaces n pixels, step numbers apart, by the means of those up to r around them.
func (l *lane) mean(pix []float32, step, n int, r float64, repeat bool) {
	whole := int(r)
	part := r - float64(whole)
	for i := range n {
		for c := range 4 {
			l.sums[i+1][c] = l.sums[i][c] + float64(pix[i*step+c])
		}
	}
	weight := 1 / (float64(2*whole+1) + 2*part)
	var first, last [4]float64
	if repeat {
		for c := range 4 {
			first[c], last[c] = l.sums[1][c], l.sums[n][c]-l.sums[n-1][c]
		}
	}
	for i := range n {
		from, to := i-whole, i+whole+1
		for c := range 4 {
			sum := l.within(from, to, n, c, first[c], last[c])
			if part > 0 {
				sum += part * (l.within(from-1, from, n, c, first[c], last[c]) + l.within(to, to+1, n, c, first[c], last[c]))
			}
			pix[i*step+c] = float32(sum * weight)
		}
	}
}

// within is the sum from one place to before another, of which those before the first and after the last have values of their own.
func (l *lane) within(from, to, n, c int, first, last float64) float64 {
	a, b := max(0, min(n, from)), max(0, min(n, to))
	return l.sums[b][c] - l.sums[a][c] + first*float64(max(0, min(0, to)-from)) + last*float64(max(0, to-max(n, from)))
}
