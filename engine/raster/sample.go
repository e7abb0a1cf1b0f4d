package raster

import (
	"encoding/binary"
	"image"
	"math"

	"overcrank/engine/geom"
)

// Sampling is how an image is read between its pixels.
type Sampling int

// The samplings.
const (
	Bilinear Sampling = iota
	Nearest
)

// Draw draws src, mapped by m, over dst within clip. It interpolates between the centres of pixels, and fades the border
// over one pixel, so that rotated edges are smooth.
func Draw(dst, src *Image, m geom.Matrix, clip image.Rectangle, opacity float64, blend Blend, how Sampling) {
	clip = clip.Intersect(dst.Rect)
	k := uint32(unit(opacity)*256 + 0.5)
	if clip.Empty() || src.Rect.Empty() || k == 0 {
		return
	}
	if dx, dy, ok := wholePixels(m); ok {
		moved := *src
		moved.Rect = src.Rect.Add(image.Pt(dx, dy))
		part, _ := dst.SubImage(clip).(*Image)
		Composite(part, &moved, opacity, blend)
		return
	}
	inv, ok := m.Invert()
	if !ok {
		return
	}
	box := geom.Rect{MinX: float64(src.Rect.Min.X), MinY: float64(src.Rect.Min.Y), MaxX: float64(src.Rect.Max.X), MaxY: float64(src.Rect.Max.Y)}
	clip = clip.Intersect(PixelRect(box.Transform(m).Grow(1)))
	s := sampler{src: src, inv: inv, k: k, w: src.Rect.Dx(), h: src.Rect.Dy(), how: how}
	row := make([]uint8, 4*clip.Dx())
	for y := clip.Min.Y; y < clip.Max.Y; y++ {
		x0, x1 := s.span(clip.Min.X, clip.Max.X, y)
		if x0 >= x1 {
			continue
		}
		s.row(row, x0, x1, y)
		blend(dst.Pix[dst.PixOffset(x0, y):][:4*(x1-x0)], row[:4*(x1-x0)], Span{x0, y, unit(opacity)})
	}
}

// wholePixels tells whether m only moves, by whole pixels.
func wholePixels(m geom.Matrix) (dx, dy int, ok bool) {
	const near = 1e-4
	if math.Abs(m.A-1) > 1e-6 || math.Abs(m.D-1) > 1e-6 || math.Abs(m.B) > 1e-6 || math.Abs(m.C) > 1e-6 {
		return 0, 0, false
	}
	x, y := math.Round(m.E), math.Round(m.F)
	if math.Abs(m.E-x) > near || math.Abs(m.F-y) > near || math.Abs(x) > 1<<24 || math.Abs(y) > 1<<24 {
		return 0, 0, false
	}
	return int(x), int(y), true
}

type sampler struct {
	src  *Image
	inv  geom.Matrix
	k    uint32 // opacity, of 256
	w, h int
	how  Sampling
}

// start is the position in the source, in pixels from the centre of its first pixel, of pixel (x, y) of the target.
func (s *sampler) start(x, y int) geom.Point {
	p := s.inv.Apply(geom.Point{X: float64(x) + 0.5, Y: float64(y) + 0.5})
	return geom.Point{X: p.X - float64(s.src.Rect.Min.X) - 0.5, Y: p.Y - float64(s.src.Rect.Min.Y) - 0.5}
}

// span narrows x0..x1 to the pixels of row y that show the source.
func (s *sampler) span(x0, x1, y int) (int, int) {
	p := s.start(0, y)
	lo, hi := narrow(float64(x0), float64(x1-1), p.X, s.inv.A, float64(s.w))
	lo, hi = narrow(lo, hi, p.Y, s.inv.B, float64(s.h))
	if lo > hi {
		return 0, 0
	}
	return int(math.Ceil(lo)), int(math.Floor(hi)) + 1
}

// narrow keeps the x for which -1 < v+x*d < size.
func narrow(lo, hi, v, d, size float64) (float64, float64) {
	if math.Abs(d) < 1e-12 {
		if v <= -1 || v >= size {
			return 1, 0
		}
		return lo, hi
	}
	a, b := (-1-v)/d, (size-v)/d
	if a > b {
		a, b = b, a
	}
	return math.Max(lo, a), math.Min(hi, b)
}

// fixed is the number of fractional bits of a position in the source.
const fixed = 16

func (s *sampler) row(row []uint8, x0, x1, y int) {
	p := s.start(x0, y)
	u, v := int64(math.Floor(p.X*(1<<fixed))), int64(math.Floor(p.Y*(1<<fixed)))
	du, dv := int64(math.Round(s.inv.A*(1<<fixed))), int64(math.Round(s.inv.B*(1<<fixed)))
	if s.how == Nearest {
		s.nearest(row, x1-x0, u, v, du, dv)
		return
	}
	s.bilinear(row, x1-x0, u, v, du, dv)
}

// bilinear reads n pixels from the position u, v on, between the four pixels around each position.
func (s *sampler) bilinear(row []uint8, n int, u, v, du, dv int64) {
	inside := func(i int) bool {
		x, y := (u+int64(i)*du)>>fixed, (v+int64(i)*dv)>>fixed
		return x >= 0 && y >= 0 && x < int64(s.w-1) && y < int64(s.h-1)
	}
	first, end := 0, n
	for first < n && !inside(first) {
		first++
	}
	for end > first && !inside(end-1) {
		end--
	}
	s.edge(row, 0, first, u, v, du, dv)
	s.edge(row, end, n, u, v, du, dv)
	if first == end {
		return
	}
	u, v = u+int64(first)*du, v+int64(first)*dv
	if m := (end - first) &^ 7; m > 0 && s.widely(du, dv, m) {
		bilinearWide(&row[4*first], &s.src.Pix[0], m, s.src.Stride, u, v, du, dv, int64(s.k))
		first, u, v = first+m, u+int64(m)*du, v+int64(m)*dv
	}
	bilinearRow(row[4*first:4*end], s.src.Pix, s.src.Stride, u, v, du, dv, uint64(s.k))
}

// widely tells whether bilinearWide can draw n pixels of a row: it counts in 32 bits.
func (s *sampler) widely(du, dv int64, n int) bool {
	const most = 1 << (30 - fixed) // pixels
	far := int64(n+8) * max(du, -du, dv, -dv)
	return wide && s.w < most && s.h < most && far < 1<<30 && len(s.src.Pix) < 1<<31
}

// bilinearRow reads a row of pixels all of whose four neighbours lie within the source, multiplied by k/256.
func bilinearRow(row, pix []uint8, stride int, u, v, du, dv int64, k uint64) {
	for ; len(row) >= 4; row, u, v = row[4:], u+du, v+dv {
		o := int(v>>fixed)*stride + int(u>>fixed)*4
		a, b := pix[o:o+8:o+8], pix[o+stride:o+stride+8:o+stride+8]
		top, bottom := binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)
		fx, fy := uint64(u>>(fixed-8)&255), uint64(v>>(fixed-8)&255)
		w11 := fx * fy >> 8
		w10, w01 := fx-w11, fy-w11
		sum := spread(uint32(top))*(256-fx-w01) + spread(uint32(top>>32))*w10 + spread(uint32(bottom))*w01 + spread(uint32(bottom>>32))*w11
		sum = (sum + half) >> 8 & lanes
		if k != 256 {
			sum = sum * k >> 8 & lanes
		}
		binary.LittleEndian.PutUint32(row, gather(sum))
	}
}

// edge reads the pixels i to end of a row, whose neighbours may lie beyond the border of the source.
func (s *sampler) edge(row []uint8, i, end int, u, v, du, dv int64) {
	u, v = u+int64(i)*du, v+int64(i)*dv
	for ; i < end; i, u, v = i+1, u+du, v+dv {
		ix, iy := int(u>>fixed), int(v>>fixed)
		fx, fy := uint64(u>>(fixed-8)&255), uint64(v>>(fixed-8)&255)
		w11 := fx * fy >> 8
		w10, w01 := fx-w11, fy-w11
		sum := s.at(ix, iy)*(256-fx-w01) + s.at(ix+1, iy)*w10 + s.at(ix, iy+1)*w01 + s.at(ix+1, iy+1)*w11
		sum = (sum + half) >> 8 & lanes
		if s.k != 256 {
			sum = sum * uint64(s.k) >> 8 & lanes
		}
		binary.LittleEndian.PutUint32(row[4*i:], gather(sum))
	}
}

// at is a pixel of the source, transparent beyond its border.
func (s *sampler) at(x, y int) uint64 {
	if uint(x) >= uint(s.w) || uint(y) >= uint(s.h) {
		return 0
	}
	return spread(binary.LittleEndian.Uint32(s.src.Pix[y*s.src.Stride+4*x:]))
}

func (s *sampler) nearest(row []uint8, n int, u, v, du, dv int64) {
	const round = 1 << (fixed - 1)
	for i := range n {
		p := s.at(int((u+round)>>fixed), int((v+round)>>fixed))
		if s.k != 256 {
			p = p * uint64(s.k) >> 8 & lanes
		}
		binary.LittleEndian.PutUint32(row[4*i:], gather(p))
		u, v = u+du, v+dv
	}
}

// Halve is src at half its size; each pixel is the mean of four.
func Halve(src *Image) *Image {
	w, h := max(1, src.Rect.Dx()/2), max(1, src.Rect.Dy()/2)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		top := src.Pix[src.PixOffset(src.Rect.Min.X, src.Rect.Min.Y+2*y):]
		bottom := top
		if 2*y+1 < src.Rect.Dy() {
			bottom = src.Pix[src.PixOffset(src.Rect.Min.X, src.Rect.Min.Y+2*y+1):]
		}
		line := out.Pix[y*out.Stride:]
		for x := range w {
			right := 0
			if 2*x+1 < src.Rect.Dx() {
				right = 4
			}
			o := 8 * x
			sum := spread(binary.LittleEndian.Uint32(top[o:])) + spread(binary.LittleEndian.Uint32(top[o+right:])) +
				spread(binary.LittleEndian.Uint32(bottom[o:])) + spread(binary.LittleEndian.Uint32(bottom[o+right:]))
			binary.LittleEndian.PutUint32(line[4*x:], gather((sum+2*lane1)>>2&lanes))
		}
	}
	return out
}

const lane1 = 0x0001000100010001

// Reader reads an image at any positions.
type Reader struct{ s sampler }

// NewReader reads src, which must not change meanwhile.
func NewReader(src *Image) Reader {
	return Reader{sampler{src: src, w: src.Rect.Dx(), h: src.Rect.Dy()}}
}

// At is the colour at a position in the image's pixels, between the centres of four of them; transparent beyond its border.
func (r *Reader) At(p geom.Point) (c Color) {
	s := &r.s
	sum := s.between(p.X-float64(s.src.Rect.Min.X)-0.5, p.Y-float64(s.src.Rect.Min.Y)-0.5)
	binary.LittleEndian.PutUint32(c[:], gather(sum))
	return c
}

// between is the colour at a position, in pixels from the centre of the first pixel of the source, between the centres of four pixels.
func (s *sampler) between(x, y float64) uint64 {
	const far = 1 << 24
	if !(x > -1 && y > -1 && x < float64(s.w) && y < float64(s.h)) || x > far || y > far {
		return 0
	}
	u, v := int64((x+1)*(1<<fixed)), int64((y+1)*(1<<fixed))
	ix, iy := int(u>>fixed)-1, int(v>>fixed)-1
	fx, fy := uint64(u>>(fixed-8)&255), uint64(v>>(fixed-8)&255)
	w11 := fx * fy >> 8
	w10, w01 := fx-w11, fy-w11
	w00 := 256 - fx - fy + w11
	var sum uint64
	if uint(ix) < uint(s.w-1) && uint(iy) < uint(s.h-1) {
		o := iy*s.src.Stride + ix*4
		a, b := s.src.Pix[o:o+8:o+8], s.src.Pix[o+s.src.Stride:][:8:8]
		top, bottom := binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)
		sum = spread(uint32(top))*w00 + spread(uint32(top>>32))*w10 + spread(uint32(bottom))*w01 + spread(uint32(bottom>>32))*w11
	} else {
		sum = s.at(ix, iy)*w00 + s.at(ix+1, iy)*w10 + s.at(ix, iy+1)*w01 + s.at(ix+1, iy+1)*w11
	}
	return (sum + half) >> 8 & lanes
}
