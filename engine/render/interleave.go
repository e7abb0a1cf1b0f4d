package render

import (
	"cmp"
	"image"
	"math"
	"math/bits"
	"slices"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// sheet is a layer in space, in pixels of the target, to be drawn among others in the order that they have at each pixel.
type sheet[P uint8 | float32] struct {
	sight
	rect      image.Rectangle
	row       func(x0, x1, y int) []P // its opacity included
	blend     func(dst, src []P, at raster.Span)
	opacity   float64
	preserves bool // it is seen only where something lies below
	release   func()
}

// scale is what numbers of pixels mean: full is one, half is added to round.
type scale struct{ full, half float64 }

// seam is where two sheets change places: the line on which they are equally near.
type seam struct{ a, b, c float64 }

// interleaving draws sheets over a picture.
type interleaving[P uint8 | float32] struct {
	dst    func(x0, x1, y int) []P
	sheets []sheet[P]
	seams  []seam
	scale
	order, present []int
	cuts           [][2]int
	row            []P
}

// interleave draws sheets over dst within area. Where two of them change places within a pixel it has of both orders as much as each covers of it.
func interleave[P uint8 | float32](dst func(x0, x1, y int) []P, area image.Rectangle, sheets []sheet[P], s scale) {
	in := interleaving[P]{dst: dst, sheets: sheets, scale: s, row: make([]P, 4*area.Dx())}
	box := image.Rectangle{}
	for i := range sheets {
		box = box.Union(sheets[i].rect)
		for j := range i {
			if m, ok := seamOf(&sheets[i].sight, &sheets[j].sight); ok {
				in.seams = append(in.seams, m)
			}
		}
	}
	box = box.Intersect(area)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		in.line(box.Min.X, box.Max.X, y)
	}
}

// seamOf is where two layers change places; false when they nowhere do.
func seamOf(s, other *sight) (seam, bool) {
	m := seam{s.near[0] - other.near[0], s.near[1] - other.near[1], s.near[2] - other.near[2]}
	return m, m.a != 0 || m.b != 0
}

// line draws a row: what lies between seams at once, pixels with a seam one by one.
func (in *interleaving[P]) line(x0, x1, y int) {
	in.cut(x0, x1, y)
	x := x0
	for _, cut := range in.cuts {
		if cut[0] > x {
			in.span(x, cut[0], y)
			x = cut[0]
		}
		for ; x < cut[1]; x++ {
			in.pixel(x, y)
		}
	}
	if x < x1 {
		in.span(x, x1, y)
	}
}

// cut finds the pixels of a row through which seams go.
func (in *interleaving[P]) cut(x0, x1, y int) {
	in.cuts = in.cuts[:0]
	within := func(v float64) int { return int(max(float64(x0), min(float64(x1), v))) }
	for _, m := range in.seams {
		at, half := m.b*(float64(y)+0.5)+m.c, (math.Abs(m.a)+math.Abs(m.b))/2
		first, last := x0, x1
		if m.a != 0 {
			p, q := (-at-half)/m.a, (-at+half)/m.a
			first, last = within(math.Floor(min(p, q)-0.5)), within(math.Ceil(max(p, q)+0.5))
		} else if math.Abs(at) > half {
			continue
		}
		if first < last {
			in.cuts = append(in.cuts, [2]int{first, last})
		}
	}
	slices.SortFunc(in.cuts, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
}

// sorted puts sheets in the order in which they are drawn at p, the farthest first.
func (in *interleaving[P]) sorted(of []int, p geom.Point) {
	slices.SortFunc(of, func(i, j int) int {
		s, other := &in.sheets[i].sight, &in.sheets[j].sight
		a, b := s.near.At(p), other.near.At(p)
		if math.Abs(a-b) <= coplanar*max(a, b) {
			return cmp.Compare(s.rank, other.rank)
		}
		return cmp.Compare(a, b)
	})
}

// span draws the pixels of a row from x0 to x1, in which no sheets change places.
func (in *interleaving[P]) span(x0, x1, y int) {
	in.order = in.order[:0]
	for i := range in.sheets {
		if r := in.sheets[i].rect; y >= r.Min.Y && y < r.Max.Y && r.Min.X < x1 && r.Max.X > x0 {
			in.order = append(in.order, i)
		}
	}
	in.sorted(in.order, geom.Point{X: float64(x0+x1) / 2, Y: float64(y) + 0.5})
	for _, i := range in.order {
		s := &in.sheets[i]
		from, to := max(x0, s.rect.Min.X), min(x1, s.rect.Max.X)
		in.lay(in.dst(from, to, y), s, s.row(from, to, y), from, y)
	}
}

// lay draws pixels of a sheet over others.
func (in *interleaving[P]) lay(dst []P, s *sheet[P], src []P, x, y int) {
	if s.preserves {
		out := in.row[:len(src)]
		for i := range out {
			out[i] = P(float64(src[i])*float64(dst[i|3])/in.full + in.half)
		}
		src = out
	}
	s.blend(dst, src, raster.Span{X: x, Y: y, Opacity: s.opacity})
}

// samples are the places within a pixel at which the order of sheets is looked at, where more than two change places.
const samples = 16

// pixel draws one pixel.
func (in *interleaving[P]) pixel(x, y int) {
	in.present = in.present[:0]
	for i := range in.sheets {
		if s := &in.sheets[i]; image.Pt(x, y).In(s.rect) && s.row(x, x+1, y)[3] > 0 {
			in.present = append(in.present, i)
		}
	}
	middle := geom.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5}
	in.sorted(in.present, middle)
	var sum [4]float64
	switch at, share, through := in.through(middle); {
	case len(in.present) == 0:
		return
	case through == 0:
		in.add(&sum, in.present, 1, x, y)
	case through == 1:
		in.add(&sum, in.present, share, x, y)
		in.present[at], in.present[at+1] = in.present[at+1], in.present[at]
		in.add(&sum, in.present, 1-share, x, y)
	default:
		for i := range uint8(samples) {
			in.sorted(in.present, geom.Point{X: float64(x) + (float64(i)+0.5)/samples, Y: float64(y) + (float64(bits.Reverse8(i)>>4)+0.5)/samples})
			in.add(&sum, in.present, 1.0/samples, x, y)
		}
	}
	px := in.dst(x, x+1, y)
	for c := range px {
		px[c] = P(sum[c] + in.half)
	}
}

// through counts the seams of the sheets in a pixel, which are in the order that they have in its middle. If there is one, the sheets at and at+1
// change places there, and share of the pixel has them in their order.
func (in *interleaving[P]) through(middle geom.Point) (at int, share float64, count int) {
	share = 1
	for j := range in.present {
		near := &in.sheets[in.present[j]].sight
		for i := range j {
			far := &in.sheets[in.present[i]].sight
			m, ok := seamOf(near, far)
			if d := near.near.At(middle) - far.near.At(middle); !ok || math.Abs(d) <= coplanar*near.near.At(middle) {
				continue
			}
			if k := m.covers(middle); k < 1 {
				at, share = i, k
				if count++; j != i+1 || count > 1 {
					return at, share, 2
				}
			}
		}
	}
	return at, share, count
}

// add adds a share of what a pixel becomes with sheets in an order.
func (in *interleaving[P]) add(sum *[4]float64, order []int, share float64, x, y int) {
	if share <= 0 {
		return
	}
	px := [4]P(in.dst(x, x+1, y))
	for _, i := range order {
		s := &in.sheets[i]
		in.lay(px[:], s, s.row(x, x+1, y), x, y)
	}
	for c := range px {
		sum[c] += share * float64(px[c])
	}
}

// covers is how much of the pixel around a point lies where m is positive: the area of a square on one side of a line.
func (m *seam) covers(middle geom.Point) float64 {
	t := m.a*middle.X + m.b*middle.Y + m.c
	a, b := math.Abs(m.a), math.Abs(m.b)
	a, b = max(a, b), min(a, b)
	if b < 1e-9*a {
		return max(0, min(1, t/a+0.5))
	}
	square := func(u float64) float64 { return max(0, u) * max(0, u) }
	area := square(t+(a+b)/2) - square(t+(a-b)/2) - square(t-(a-b)/2) + square(t-(a+b)/2)
	return max(0, min(1, area/(2*a*b)))
}
