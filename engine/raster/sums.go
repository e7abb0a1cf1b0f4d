package raster

import (
	"image"

	"overcrank/engine/geom"
)

// Sums are those of the pixels of a picture above and left of each place, so that the mean of any box costs four of them (Crow, Summed-Area Tables for
// Texture Mapping, 1984).
type Sums struct {
	rect   image.Rectangle
	deep   int       // numbers of a place: 1 for the alpha alone, or 4
	values []float64 // rows of Dx+1 places
}

// SumsOf are the Sums of a picture: of its alpha, or with colors of all its channels. Premultiplied numbers of 255 are 1.
func SumsOf(img *Image, colors bool) *Sums {
	return sumsOf(img.Pix, img.Stride, img.Rect, colors, 255)
}

// SumsOfNumbers are those of a picture of more than bytes, with its colours: rows of stride numbers, four for each pixel of r.
func SumsOfNumbers(pix []float32, stride int, r image.Rectangle) *Sums {
	return sumsOf(pix, stride, r, true, 1)
}

func sumsOf[P uint8 | float32](pix []P, stride int, r image.Rectangle, colors bool, full float64) *Sums {
	s := &Sums{rect: r, deep: 1}
	if colors {
		s.deep = 4
	}
	row := s.deep * (r.Dx() + 1)
	s.values = make([]float64, row*(r.Dy()+1))
	for y := range r.Dy() {
		pix := pix[y*stride:]
		above, own := s.values[row*y:row*(y+1)], s.values[row*(y+1):row*(y+2)]
		var sum [4]float64
		for x := range r.Dx() {
			px := pix[4*x+4-s.deep : 4*x+4]
			for c, v := range px {
				sum[c] += float64(v) / full
				own[s.deep*(x+1)+c] = above[s.deep*(x+1)+c] + sum[c]
			}
		}
	}
	return s
}

// Mean is the mean of the pixels in a box, which may lie between pixels: red, green and blue if the Sums have colours, and alpha. Outside of the picture
// nothing is.
func (s *Sums) Mean(box geom.Rect) (c [4]float64) {
	area := (box.MaxX - box.MinX) * (box.MaxY - box.MinY)
	if !(area > 0) {
		return c
	}
	within := func(v float64, from, to int) float64 { return max(0, min(v-float64(from), float64(to-from))) }
	x0, x1 := within(box.MinX, s.rect.Min.X, s.rect.Max.X), within(box.MaxX, s.rect.Min.X, s.rect.Max.X)
	y0, y1 := within(box.MinY, s.rect.Min.Y, s.rect.Max.Y), within(box.MaxY, s.rect.Min.Y, s.rect.Max.Y)
	if !(x1 > x0) || !(y1 > y0) {
		return c
	}
	s.add(&c, x1, y1, 1/area)
	s.add(&c, x0, y1, -1/area)
	s.add(&c, x1, y0, -1/area)
	s.add(&c, x0, y0, 1/area)
	return c
}

// add adds the sum above and left of a place, k times.
func (s *Sums) add(c *[4]float64, x, y, k float64) {
	w, h := s.rect.Dx(), s.rect.Dy()
	ix, iy := min(int(x), w-1), min(int(y), h-1)
	fx, fy := x-float64(ix), y-float64(iy)
	at, down := s.deep*(iy*(w+1)+ix), s.deep*(w+1)
	for i := range s.deep {
		v := s.values[at+i:]
		top := v[0] + (v[s.deep]-v[0])*fx
		bottom := v[down] + (v[down+s.deep]-v[down])*fx
		c[4-s.deep+i] += k * (top + (bottom-top)*fy)
	}
}
