// Package deep draws on pictures of 32 bits per channel, for projects that have more than 8, that blend in linear light, or whose colours are
// managed. It does what package raster does on bytes, without rounding and without a limit at white.
package deep

import (
	"image"
	"math"

	"overcrank/engine/raster"
)

// Image is premultiplied RGBA, four numbers a pixel. 1 is white or opaque; colours may lie beyond.
type Image struct {
	Pix    []float32
	Stride int // of numbers, between rows
	Rect   image.Rectangle
}

// New is a transparent picture.
func New(r image.Rectangle) *Image {
	return &Image{Pix: make([]float32, 4*r.Dx()*r.Dy()), Stride: 4 * r.Dx(), Rect: r}
}

// Row are the pixels x0 to x1 of row y, all of which lie within the picture.
func (p *Image) Row(x0, x1, y int) []float32 {
	o := (y-p.Rect.Min.Y)*p.Stride + 4*(x0-p.Rect.Min.X)
	return p.Pix[o : o+4*(x1-x0)]
}

// Part is the part of the picture within r; it shares its pixels.
func (p *Image) Part(r image.Rectangle) *Image {
	r = r.Intersect(p.Rect)
	if r.Empty() {
		return &Image{}
	}
	return &Image{Pix: p.Pix[(r.Min.Y-p.Rect.Min.Y)*p.Stride+4*(r.Min.X-p.Rect.Min.X):], Stride: p.Stride, Rect: r}
}

// Moved is the picture elsewhere; it shares its pixels.
func (p *Image) Moved(dx, dy int) *Image {
	out := *p
	out.Rect = p.Rect.Add(image.Pt(dx, dy))
	return &out
}

// Copy copies the pixels that both pictures have, by their bounds.
func Copy(dst, src *Image) {
	area := dst.Rect.Intersect(src.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		copy(dst.Row(area.Min.X, area.Max.X, y), src.Row(area.Min.X, area.Max.X, y))
	}
}

// FromBytes sets the pixels of dst to those of src, which must cover it.
func FromBytes(dst *Image, src *raster.Image) {
	r := dst.Rect
	for y := r.Min.Y; y < r.Max.Y; y++ {
		in := src.Pix[src.PixOffset(r.Min.X, y):]
		out := dst.Row(r.Min.X, r.Max.X, y)
		for i, v := range in[:len(out)] {
			out[i] = ofByte[v]
		}
	}
}

// ofByte are the values of bytes.
var ofByte = func() (t [256]float32) {
	for i := range t {
		t[i] = float32(i) / 255
	}
	return t
}()

// ToBytes sets the pixels of dst to those of src, rounded and cut off at white. Both have the same bounds.
func ToBytes(dst *raster.Image, src *Image) {
	r := dst.Rect
	for y := r.Min.Y; y < r.Max.Y; y++ {
		in := src.Row(r.Min.X, r.Max.X, y)
		out := dst.Pix[dst.PixOffset(r.Min.X, y):][:len(in)]
		for i := 0; i+3 < len(in); i += 4 {
			a := toByte(in[i+3])
			out[i], out[i+1], out[i+2], out[i+3] = min(toByte(in[i]), a), min(toByte(in[i+1]), a), min(toByte(in[i+2]), a), a
		}
	}
}

func toByte(v float32) uint8 {
	switch {
	case !(v > 0):
		return 0
	case v >= 1:
		return 255
	}
	return uint8(v*255 + 0.5)
}

// Limit cuts off what a picture of 16 bits does not hold: colours below black and above white.
func Limit(p *Image) {
	for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
		row := p.Row(p.Rect.Min.X, p.Rect.Max.X, y)
		for i := 0; i+3 < len(row); i += 4 {
			px := row[i : i+4 : i+4]
			a := max(0, min(1, px[3]))
			px[0], px[1], px[2], px[3] = max(0, min(a, px[0])), max(0, min(a, px[1])), max(0, min(a, px[2])), a
		}
	}
}

// Finite replaces what is not a number by nothing, and brings what is beyond any use back to what sums stay finite with.
func Finite(p *Image) {
	const far = 1e9
	for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
		row := p.Row(p.Rect.Min.X, p.Rect.Max.X, y)
		for i, v := range row {
			if v > -far && v < far {
				continue
			}
			if v != v { // not a number
				row[i] = 0
			} else {
				row[i] = float32(math.Copysign(far, float64(v)))
			}
		}
	}
}

// Recolor gives each pixel the colour that of makes of its own: red, green, blue and alpha, not premultiplied. What is transparent is black to
// it.
func Recolor(p *Image, of func(c [4]float64) [4]float64) {
	for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
		row := p.Row(p.Rect.Min.X, p.Rect.Max.X, y)
		var was, before [4]float32
		var after [4]float32
		known := false
		for i := 0; i+3 < len(row); i += 4 {
			px := row[i : i+4 : i+4]
			if was = [4]float32(px); known && was == before {
				copy(px, after[:])
				continue
			}
			c := of(straight(was))
			for j := range 3 {
				px[j] = float32(c[j] * c[3])
			}
			px[3] = float32(c[3])
			before, after, known = was, [4]float32(px), true
		}
	}
}

// straight is a premultiplied pixel as red, green, blue and alpha.
func straight(px [4]float32) [4]float64 {
	if px[3] == 0 {
		return [4]float64{}
	}
	a := float64(px[3])
	return [4]float64{float64(px[0]) / a, float64(px[1]) / a, float64(px[2]) / a, a}
}
