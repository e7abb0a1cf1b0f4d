package deep

import "overcrank/engine/raster"

// Blur blurs a picture within its bounds, as the Blurring of bytes does, without rounding.
func Blur(p *Image, b raster.Blurring) {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	if w == 0 || h == 0 {
		return
	}
	if boxes := boxesOf(b.Across); len(boxes) > 0 {
		l := newLane(boxes, w, pixel, b.Repeat)
		for y := range h {
			row := p.Pix[y*p.Stride:][:w*pixel]
			copy(l.in(), row)
			l.blur(boxes)
			copy(row, l.in())
		}
	}
	if boxes := boxesOf(b.Down); len(boxes) > 0 {
		l := newLane(boxes, h, strip, b.Repeat)
		for x := 0; x < w*pixel; x += strip {
			wide := min(strip, w*pixel-x)
			column := l.in()
			for y := range h {
				copy(column[y*strip:y*strip+wide], p.Pix[y*p.Stride+x:])
			}
			l.blur(boxes)
			column = l.in()
			for y := range h {
				copy(p.Pix[y*p.Stride+x:][:wide], column[y*strip:])
			}
		}
	}
}

const (
	pixel = 4  // numbers
	strip = 16 // numbers beside each other that are blurred down at once: a line of the processor's cache
)

// maxBox limits the radius of a box, as for bytes.
const maxBox = 2000

// box is a mean of 2r+1 values and a part of the two beyond them.
type box struct {
	r            int
	part, weight float64
}

// boxesOf are the boxes of radii that change something.
func boxesOf(radii []float64) (out []box) {
	for _, r := range radii {
		if r > 0 {
			r = min(r, maxBox)
			whole := int(r)
			part := r - float64(whole)
			out = append(out, box{whole, part, 1 / (float64(2*whole+1) + 2*part)})
		}
	}
	return out
}

// lane is a line of cells of some numbers each, with room for a blur at both ends.
type lane struct {
	n, cell, pad int
	repeat       bool
	now, next    []float32
	sums         [][pixel]float64 // of the pixels before each
}

func newLane(boxes []box, n, cell int, repeat bool) *lane {
	pad := 0
	for _, b := range boxes {
		pad = max(pad, b.r+1)
	}
	size := (n + 2*pad) * cell
	return &lane{n: n, cell: cell, pad: pad, repeat: repeat, now: make([]float32, size), next: make([]float32, size), sums: make([][pixel]float64, n+2*pad+1)}
}

// in are the cells themselves.
func (l *lane) in() []float32 { return l.now[l.pad*l.cell : (l.pad+l.n)*l.cell] }

func (l *lane) blur(boxes []box) {
	for i := range boxes {
		l.border()
		for c := 0; c < l.cell; c += pixel {
			l.mean(&boxes[i], c)
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

// mean blurs the pixel at place c of each cell. A stretch is the difference of the sums before its ends, so that nothing is left where all is nothing.
func (l *lane) mean(b *box, c int) {
	step := l.cell
	src := l.now[(l.pad-b.r-1)*step+c:]
	n := l.n + 2*b.r + 2
	sums := l.sums[:n+1]
	var s [pixel]float64
	for i := range n {
		p := src[i*step : i*step+4 : i*step+4]
		s[0], s[1], s[2], s[3] = s[0]+float64(p[0]), s[1]+float64(p[1]), s[2]+float64(p[2]), s[3]+float64(p[3])
		sums[i+1] = s
	}
	dst := l.next[l.pad*step+c:]
	weight, ends := b.weight, b.weight*b.part
	from, to := sums[1:][:l.n], sums[2*b.r+2:][:l.n]
	for i := range from {
		f, t := &from[i], &to[i]
		out := dst[i*step : i*step+4 : i*step+4]
		out[0], out[1], out[2], out[3] = float32((t[0]-f[0])*weight), float32((t[1]-f[1])*weight), float32((t[2]-f[2])*weight), float32((t[3]-f[3])*weight)
	}
	if b.part == 0 {
		return
	}
	far := (2*b.r + 2) * step
	for i := 0; i < l.n*step; i += step {
		out, tail, head := dst[i:i+4:i+4], src[i:i+4:i+4], src[i+far:i+far+4:i+far+4]
		for j := range out {
			out[j] += float32((float64(tail[j]) + float64(head[j])) * ends)
		}
	}
}
