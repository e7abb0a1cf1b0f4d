package raster

import (
	"encoding/binary"
	"image"
	"math"

	"overcrank/engine/geom"
)

// Rasterizer converts outlines to coverage. It sums signed areas per pixel, only for the rows and columns that an
// outline touches. So it serves both fill rules, at a cost that depends on the size of the shape and not of the frame.
// Call Reset, any number of Fill and Stroke, then Spans. It is not safe for concurrent use.
type Rasterizer struct {
	clip   image.Rectangle
	mask   *image.Alpha
	stride int
	area   []float32 // one row of stride cells per line of clip, zero outside Reset…Spans
	lo, hi []int32   // touched cells of each row
	line   []uint8
}

// flatness is the largest distance between a curve and its lines, in pixels.
const flatness = 0.05

// Reset starts a shape that is drawn within clip.
func (r *Rasterizer) Reset(clip image.Rectangle) {
	if clip.Empty() {
		clip = image.Rectangle{}
	}
	r.clip, r.mask = clip, nil
	r.stride = clip.Dx() + 2
	if n := r.stride * clip.Dy(); n > len(r.area) {
		r.area = make([]float32, n)
	}
	if clip.Dy() > len(r.lo) {
		r.lo, r.hi = make([]int32, clip.Dy()), make([]int32, clip.Dy())
	}
	for y := range clip.Dy() {
		r.lo[y], r.hi[y] = math.MaxInt32, -1
	}
	if len(r.line) < clip.Dx() {
		r.line = make([]uint8, clip.Dx())
	}
}

// Within multiplies the coverage of what is drawn until the next Reset by a mask, which has the clip within its bounds; nil is none.
func (r *Rasterizer) Within(mask *image.Alpha) { r.mask = mask }

// Fill adds the inside of o, mapped by m. Open contours are closed.
func (r *Rasterizer) Fill(o geom.Outline, m geom.Matrix) {
	for _, p := range o.Flatten(m, flatness) {
		r.polygon(p.Points)
	}
}

// Add adds the outline of a shape or its stroke.
func (r *Rasterizer) Add(s *Shape, m geom.Matrix) {
	if s.Stroke != nil {
		r.Stroke(s.Outline, *s.Stroke, m)
		return
	}
	r.Fill(s.Outline, m)
}

func (r *Rasterizer) polygon(pts []geom.Point) {
	if len(pts) < 2 {
		return
	}
	for _, p := range pts {
		if math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) {
			return
		}
	}
	prev := pts[len(pts)-1]
	for _, p := range pts {
		r.edge(prev, p)
		prev = p
	}
}

// edge adds a line. A line left of the clip still covers everything to its right, so it is moved onto the border; a line
// right of the clip is moved onto the cell after the last.
func (r *Rasterizer) edge(a, b geom.Point) {
	ox, oy := float64(r.clip.Min.X), float64(r.clip.Min.Y)
	a.X, a.Y, b.X, b.Y = a.X-ox, a.Y-oy, b.X-ox, b.Y-oy
	if a.Y == b.Y {
		return
	}
	dir := float32(1)
	if a.Y > b.Y {
		a, b, dir = b, a, -1
	}
	h, w := float64(r.clip.Dy()), float64(r.clip.Dx())
	if b.Y <= 0 || a.Y >= h {
		return
	}
	slope := (b.X - a.X) / (b.Y - a.Y)
	if a.Y < 0 {
		a = geom.Point{X: a.X - a.Y*slope, Y: 0}
	}
	if b.Y > h {
		b = geom.Point{X: b.X - (b.Y-h)*slope, Y: h}
	}
	for _, border := range [2]float64{0, w} {
		if (a.X < border) != (b.X < border) && a.X != border && b.X != border {
			mid := geom.Point{X: border, Y: a.Y + (border-a.X)/slope}
			if mid.Y > a.Y && mid.Y < b.Y {
				r.clipped(a, mid, w, dir)
				a = mid
			}
		}
	}
	r.clipped(a, b, w, dir)
}

func (r *Rasterizer) clipped(a, b geom.Point, w float64, dir float32) {
	if a.X <= 0 && b.X <= 0 {
		a.X, b.X = 0, 0
	} else if a.X >= w && b.X >= w {
		return
	}
	// A line that crosses both borders is cut at the second one by the recursive call.
	if (a.X < w) != (b.X < w) && max(a.X, b.X) > w {
		y := a.Y + (w-a.X)*(b.Y-a.Y)/(b.X-a.X)
		if a.X < w {
			b = geom.Point{X: w, Y: y}
		} else {
			a = geom.Point{X: w, Y: y}
		}
	}
	r.accumulate(a, b, dir)
}

// accumulate adds a downward line within the clip.
func (r *Rasterizer) accumulate(a, b geom.Point, dir float32) {
	if b.Y <= a.Y {
		return
	}
	slope := (b.X - a.X) / (b.Y - a.Y)
	last := float64(r.clip.Dx())
	x := a.X
	for y := int(a.Y); y < r.clip.Dy() && float64(y) < b.Y; y++ {
		dy := min(float64(y+1), b.Y) - max(float64(y), a.Y)
		next := x + slope*dy
		d := float32(dy) * dir
		x0, x1 := x, next
		x = next
		if x0 > x1 {
			x0, x1 = x1, x0
		}
		x0, x1 = max(0, min(x0, last)), max(0, min(x1, last))
		first := int(x0)
		end := int(math.Ceil(x1))
		if end <= first {
			end = first + 1
		}
		row := r.area[y*r.stride : (y+1)*r.stride]
		r.touch(y, first, end)
		if end == first+1 {
			mid := float32((x0+x1)/2 - float64(first))
			row[first] += d * (1 - mid)
			row[first+1] += d * mid
			continue
		}
		// The line crosses several cells: the area to its right grows quadratically in the first and the last cell, and
		// linearly in between.
		s := float32(1 / (x1 - x0))
		f := float32(x0 - float64(first))
		g := float32(x1 - float64(end-1))
		a0 := 0.5 * s * (1 - f) * (1 - f)
		am := 0.5 * s * g * g
		row[first] += d * a0
		if end == first+2 {
			row[first+1] += d * (1 - a0 - am)
		} else {
			a1 := s * (1.5 - f)
			row[first+1] += d * (a1 - a0)
			for i := first + 2; i < end-1; i++ {
				row[i] += d * s
			}
			a2 := a1 + float32(end-first-3)*s
			row[end-1] += d * (1 - a2 - am)
		}
		row[end] += d * am
	}
}

func (r *Rasterizer) touch(y, first, end int) {
	if int32(first) < r.lo[y] {
		r.lo[y] = int32(first)
	}
	if int32(end) > r.hi[y] {
		r.hi[y] = int32(end)
	}
}

// Spans passes the coverage to emit, row by row: cov[i] is the coverage of pixel (x+i, y). cov is valid only during the
// call.
func (r *Rasterizer) Spans(evenOdd bool, emit func(x, y int, cov []uint8)) {
	w := r.clip.Dx()
	for y := range r.clip.Dy() {
		lo, hi := int(r.lo[y]), int(r.hi[y])
		if hi < 0 {
			continue
		}
		row := r.area[y*r.stride : (y+1)*r.stride]
		sum := float32(0)
		end := min(hi+1, w)
		var rest uint8
		for i := lo; i < end; {
			if row[i] != 0 {
				sum += row[i]
				rest = coverage(sum, evenOdd)
			}
			from := i // most cells have no edge: they are all inside or all outside
			for i++; i < end && row[i] == 0; i++ {
			}
			fill(r.line[from:i], rest)
		}
		// Edges right of the clip were left out, so the rest of the row has the coverage of its last cell.
		if rest > 0 && end < w {
			fill(r.line[end:w], rest)
			end = w
		}
		clear(row[lo:min(hi+2, len(row))])
		if lo < end {
			if r.mask != nil {
				masked := r.mask.Pix[r.mask.PixOffset(r.clip.Min.X+lo, r.clip.Min.Y+y):]
				for i, k := range r.line[lo:end] {
					r.line[lo+i] = uint8(mul(uint32(k), uint32(masked[i])))
				}
			}
			emit(r.clip.Min.X+lo, r.clip.Min.Y+y, r.line[lo:end])
		}
	}
}

func fill(line []uint8, with uint8) {
	all := uint64(with) * 0x0101010101010101
	for len(line) >= 8 {
		binary.LittleEndian.PutUint64(line, all)
		line = line[8:]
	}
	for i := range line {
		line[i] = with
	}
}

func coverage(v float32, evenOdd bool) uint8 {
	if v < 0 {
		v = -v
	}
	if evenOdd {
		v -= 2 * float32(int(v/2))
		if v > 1 {
			v = 2 - v
		}
	} else if v > 1 {
		v = 1
	}
	return uint8(v*255 + 0.5)
}
