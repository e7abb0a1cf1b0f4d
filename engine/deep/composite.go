package deep

import (
	"image"

	"overcrank/engine/raster"
)

// Blend draws a row of pixels, src, over another row of the same length, dst.
type Blend func(dst, src []float32, at raster.Span)

// Composite draws src over dst where both have pixels, by their bounds, with an opacity of 0 to 1.
func Composite(dst, src *Image, opacity float64, blend Blend) {
	area := src.Rect.Intersect(dst.Rect)
	k := float32(max(0, min(1, opacity)))
	if area.Empty() || k == 0 {
		return
	}
	row := make([]float32, 4*area.Dx())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		s := src.Row(area.Min.X, area.Max.X, y)
		if k != 1 {
			for i, v := range s {
				row[i] = v * k
			}
			s = row
		}
		blend(dst.Row(area.Min.X, area.Max.X, y), s, raster.Span{X: area.Min.X, Y: y, Opacity: float64(k)})
	}
}

// Mask is how much of each pixel is seen, 0 to 1.
type Mask struct {
	Pix  []float32
	Rect image.Rectangle
}

// NewMask is a mask that shows nothing.
func NewMask(r image.Rectangle) *Mask { return &Mask{make([]float32, r.Dx()*r.Dy()), r} }

// MaskOf is a mask of bytes.
func MaskOf(m *image.Alpha) *Mask {
	out := NewMask(m.Rect)
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		row := out.row(m.Rect.Min.X, m.Rect.Max.X, y)
		for i, v := range m.Pix[m.PixOffset(m.Rect.Min.X, y):][:len(row)] {
			row[i] = ofByte[v]
		}
	}
	return out
}

// row are the values x0 to x1 of row y.
func (m *Mask) row(x0, x1, y int) []float32 {
	o := (y-m.Rect.Min.Y)*m.Rect.Dx() + x0 - m.Rect.Min.X
	return m.Pix[o : o+x1-x0]
}

// AlphaOf is the alpha of a picture at the pixels of r.
func AlphaOf(p *Image, r image.Rectangle) *Mask {
	out := NewMask(r)
	each(out, p, func(px []float32) float32 { return px[3] })
	return out
}

// LumaOf is how bright a picture is at the pixels of r, by the weights of ITU-R BT.709.
func LumaOf(p *Image, r image.Rectangle) *Mask {
	out := NewMask(r)
	each(out, p, func(px []float32) float32 { return max(0, min(1, 0.2126*px[0]+0.7152*px[1]+0.0722*px[2])) })
	return out
}

func each(m *Mask, p *Image, of func(px []float32) float32) {
	both := m.Rect.Intersect(p.Rect)
	for y := both.Min.Y; y < both.Max.Y; y++ {
		src, dst := p.Row(both.Min.X, both.Max.X, y), m.row(both.Min.X, both.Max.X, y)
		for i := range dst {
			dst[i] = of(src[4*i : 4*i+4])
		}
	}
}

// Scale multiplies a mask by a number.
func (m *Mask) Scale(k float64) {
	for i := range m.Pix {
		m.Pix[i] *= float32(k)
	}
}

// Invert shows what the mask hides.
func (m *Mask) Invert() {
	for i, v := range m.Pix {
		m.Pix[i] = 1 - v
	}
}

// Multiply multiplies a mask by another with the same bounds.
func (m *Mask) Multiply(by *Mask) {
	for i, v := range by.Pix {
		m.Pix[i] *= v
	}
}

// MultiplyAlpha multiplies every pixel of a picture by a mask, which has the same coordinates; outside of the mask the picture becomes
// transparent.
func MultiplyAlpha(p *Image, m *Mask) {
	both := p.Rect.Intersect(m.Rect)
	for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
		row := p.Row(p.Rect.Min.X, p.Rect.Max.X, y)
		if both.Empty() || y < both.Min.Y || y >= both.Max.Y {
			clear(row)
			continue
		}
		clear(row[:4*(both.Min.X-p.Rect.Min.X)])
		clear(row[4*(both.Max.X-p.Rect.Min.X):])
		row = row[4*(both.Min.X-p.Rect.Min.X):]
		for i, k := range m.row(both.Min.X, both.Max.X, y) {
			px := row[4*i : 4*i+4 : 4*i+4]
			px[0], px[1], px[2], px[3] = px[0]*k, px[1]*k, px[2]*k, px[3]*k
		}
	}
}

// Mix replaces the pixels of dst by those of src, in proportion to a mask times an opacity. All three have the same coordinates.
func Mix(dst, src *Image, m *Mask, opacity float64) {
	area := dst.Rect.Intersect(src.Rect).Intersect(m.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		d, s := dst.Row(area.Min.X, area.Max.X, y), src.Row(area.Min.X, area.Max.X, y)
		for i, k := range m.row(area.Min.X, area.Max.X, y) {
			k *= float32(opacity)
			for c := 4 * i; c < 4*i+4; c++ {
				d[c] += (s[c] - d[c]) * k
			}
		}
	}
}

// FillBehind lays one opaque colour behind the pixels of a picture.
func FillBehind(p *Image, c [3]float64) {
	color := [4]float32{float32(c[0]), float32(c[1]), float32(c[2]), 1}
	for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
		row := p.Row(p.Rect.Min.X, p.Rect.Max.X, y)
		for i := 0; i+3 < len(row); i += 4 {
			px := row[i : i+4 : i+4]
			rest := 1 - px[3]
			for j := range px {
				px[j] += color[j] * rest
			}
		}
	}
}

// Add adds src, times k, to dst where both have pixels.
func Add(dst, src *Image, k float32) {
	area := src.Rect.Intersect(dst.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		d := dst.Row(area.Min.X, area.Max.X, y)
		for i, v := range src.Row(area.Min.X, area.Max.X, y) {
			d[i] += v * k
		}
	}
}
