package raster

import (
	"encoding/binary"
	"image"
)

// Paint draws the shape in r over dst in one colour.
func (r *Rasterizer) Paint(dst *Image, evenOdd bool, c Color) {
	if c[3] == 0 {
		r.Spans(evenOdd, func(int, int, []uint8) {})
		return
	}
	full := binary.LittleEndian.Uint32(c[:])
	r.Spans(evenOdd, func(x, y int, cov []uint8) {
		row := dst.Pix[dst.PixOffset(x, y):]
		cover(row[:4*len(cov)], cov, full)
	})
}

// FillRect sets the pixels of area to one colour.
func FillRect(dst *Image, area image.Rectangle, c Color) {
	area = area.Intersect(dst.Rect)
	if area.Empty() {
		return
	}
	first := dst.Pix[dst.PixOffset(area.Min.X, area.Min.Y):][:4*area.Dx()]
	for i := 0; i < len(first); i += 4 {
		copy(first[i:i+4], c[:])
	}
	for y := area.Min.Y + 1; y < area.Max.Y; y++ {
		copy(dst.Pix[dst.PixOffset(area.Min.X, y):], first)
	}
}

// FillBehind lays one opaque colour behind the pixels of dst.
func FillBehind(dst *Image, c Color) {
	color := binary.LittleEndian.Uint32(c[:])
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		behind(dst.Pix[dst.PixOffset(dst.Rect.Min.X, y):][:4*dst.Rect.Dx()], color)
	}
}

// Composite draws src over dst where both have pixels, by their bounds, with an opacity of 0 to 1.
func Composite(dst, src *Image, opacity float64, blend Blend) {
	area := src.Rect.Intersect(dst.Rect)
	k := uint32(unit(opacity)*255 + 0.5)
	if area.Empty() || k == 0 {
		return
	}
	var row []uint8
	if k != 255 {
		row = make([]uint8, 4*area.Dx())
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		s := src.Pix[src.PixOffset(area.Min.X, y):][:4*area.Dx()]
		d := dst.Pix[dst.PixOffset(area.Min.X, y):][:4*area.Dx()]
		if k != 255 {
			fade(row, s, k)
			s = row
		}
		blend(d, s, Span{area.Min.X, y, unit(opacity)})
	}
}

// MultiplyAlpha multiplies every pixel of img by mask, which has the same coordinates; img becomes transparent outside
// of the mask.
func MultiplyAlpha(img *Image, mask *image.Alpha) {
	both := img.Rect.Intersect(mask.Rect)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		if both.Empty() || y < both.Min.Y || y >= both.Max.Y {
			clear(row)
			continue
		}
		clear(row[:4*(both.Min.X-img.Rect.Min.X)])
		clear(row[4*(both.Max.X-img.Rect.Min.X):])
		cov := mask.Pix[mask.PixOffset(both.Min.X, y):][:both.Dx()]
		row = row[4*(both.Min.X-img.Rect.Min.X):]
		for i, k := range cov {
			p := row[4*i : 4*i+4]
			switch k {
			case 255:
			case 0:
				clear(p)
			default:
				binary.LittleEndian.PutUint32(p, scale(binary.LittleEndian.Uint32(p), uint32(k)))
			}
		}
	}
}

// MultiplyMask multiplies a mask by another with the same bounds.
func MultiplyMask(m, by *image.Alpha) {
	for i, k := range by.Pix {
		m.Pix[i] = uint8(mul(uint32(m.Pix[i]), uint32(k)))
	}
}

// Mix replaces the pixels of dst by those of src, in proportion to mask times opacity. All three have the same
// coordinates.
func Mix(dst, src *Image, mask *image.Alpha, opacity float64) {
	k := uint32(unit(opacity)*255 + 0.5)
	area := dst.Rect.Intersect(src.Rect).Intersect(mask.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		d := dst.Pix[dst.PixOffset(area.Min.X, y):]
		s := src.Pix[src.PixOffset(area.Min.X, y):]
		m := mask.Pix[mask.PixOffset(area.Min.X, y):]
		for i := range area.Dx() {
			a := mul(uint32(m[i]), k)
			for c := 4 * i; c < 4*i+4; c++ {
				d[c] = uint8(mul(uint32(s[c]), a) + mul(uint32(d[c]), 255-a))
			}
		}
	}
}

// AlphaOf is the alpha of img at the pixels of r.
func AlphaOf(img *Image, r image.Rectangle) *image.Alpha {
	out := image.NewAlpha(r)
	both := r.Intersect(img.Rect)
	for y := both.Min.Y; y < both.Max.Y; y++ {
		src := img.Pix[img.PixOffset(both.Min.X, y):]
		dst := out.Pix[out.PixOffset(both.Min.X, y):]
		for x := range both.Dx() {
			dst[x] = src[4*x+3]
		}
	}
	return out
}

// Solidify makes every visible pixel opaque, in its own colour, and the others black.
func Solidify(img *Image) {
	for i := 0; i+3 < len(img.Pix); i += 4 {
		px := img.Pix[i : i+4 : i+4]
		if a := uint32(px[3]); a != 255 && a != 0 {
			for c := range 3 {
				px[c] = uint8(min((uint32(px[c])*255+a/2)/a, 255))
			}
		}
		px[3] = 255
	}
}
