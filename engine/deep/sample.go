package deep

import (
	"image"
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Draw draws src, mapped by m, over dst within clip, as raster.Draw does: between the centres of pixels it interpolates, and its border fades
// over one pixel.
func Draw(dst, src *Image, m geom.Matrix, clip image.Rectangle, opacity float64, blend Blend, how raster.Sampling) {
	clip = clip.Intersect(dst.Rect)
	if clip.Empty() || src.Rect.Empty() || !(opacity > 0) {
		return
	}
	if dx, dy, ok := wholePixels(m); ok {
		Composite(dst.Part(clip), src.Moved(dx, dy), opacity, blend)
		return
	}
	inv, ok := m.Invert()
	if !ok {
		return
	}
	clip = clip.Intersect(raster.PixelRect(boxOf(src.Rect).Transform(m).Grow(1)))
	draw(dst, src, clip, opacity, blend, how, func(y int) (u, v, w, du, dv, dw float64) {
		p := inv.Apply(geom.Point{X: float64(clip.Min.X) + 0.5, Y: float64(y) + 0.5})
		return p.X, p.Y, 1, inv.A, inv.B, 0
	})
}

// Project draws src over dst within clip, as h shows it in perspective; what lies behind the viewer is not drawn.
func Project(dst, src *Image, h geom.Homography, clip image.Rectangle, opacity float64, blend Blend) {
	box, ok := h.Box(boxOf(src.Rect).Grow(1))
	back, invertible := h.Invert()
	if !ok || !invertible || !(opacity > 0) {
		return
	}
	clip = clip.Intersect(dst.Rect).Intersect(raster.PixelRect(box))
	draw(dst, src, clip, opacity, blend, raster.Bilinear, func(y int) (u, v, w, du, dv, dw float64) {
		px, py := float64(clip.Min.X)+0.5, float64(y)+0.5
		return back[0]*px + back[1]*py + back[2], back[3]*px + back[4]*py + back[5], back[6]*px + back[7]*py + back[8], back[0], back[3], back[6]
	})
}

// draw reads src where a row begins and on along it, in homogeneous coordinates.
func draw(dst, src *Image, clip image.Rectangle, opacity float64, blend Blend, how raster.Sampling, row func(y int) (u, v, w, du, dv, dw float64)) {
	if clip.Empty() {
		return
	}
	k := float32(min(1, opacity))
	line := make([]float32, 4*clip.Dx())
	for y := clip.Min.Y; y < clip.Max.Y; y++ {
		u, v, w, du, dv, dw := row(y)
		seen := false
		for i := range clip.Dx() {
			px := line[4*i : 4*i+4 : 4*i+4]
			seen = sample(px, src, u, v, w, how) || seen
			u, v, w = u+du, v+dv, w+dw
			px[0], px[1], px[2], px[3] = px[0]*k, px[1]*k, px[2]*k, px[3]*k
		}
		if seen {
			blend(dst.Row(clip.Min.X, clip.Max.X, y), line, raster.Span{X: clip.Min.X, Y: y, Opacity: float64(k)})
		}
	}
}

// sample reads the colour of src at u/w, v/w; false, and nothing, beyond its border.
func sample(px []float32, src *Image, u, v, w float64, how raster.Sampling) bool {
	clear(px)
	if w <= 0 {
		return false
	}
	if w != 1 {
		u, v = u/w, v/w
	}
	x, y := u-float64(src.Rect.Min.X)-0.5, v-float64(src.Rect.Min.Y)-0.5
	wide, high := src.Rect.Dx(), src.Rect.Dy()
	if !(x > -1 && y > -1 && x < float64(wide) && y < float64(high)) {
		return false
	}
	if how == raster.Nearest {
		if p := src.at(int(x+1.5)-1, int(y+1.5)-1); p != nil {
			copy(px, p)
		}
		return true
	}
	ix, iy := int(x+1)-1, int(y+1)-1
	fx, fy := float32(x-float64(ix)), float32(y-float64(iy))
	weights := [4]float32{(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy}
	if ix >= 0 && iy >= 0 && ix+1 < wide && iy+1 < high {
		o := iy*src.Stride + 4*ix
		a, b := src.Pix[o:o+8:o+8], src.Pix[o+src.Stride:][:8:8]
		for c := range px {
			px[c] = a[c]*weights[0] + a[c+4]*weights[1] + b[c]*weights[2] + b[c+4]*weights[3]
		}
		return true
	}
	for n, k := range weights {
		if p := src.at(ix+n&1, iy+n>>1); p != nil {
			for c := range px {
				px[c] += p[c] * k
			}
		}
	}
	return true
}

// at is a pixel counted from the first; nil beyond the border.
func (p *Image) at(x, y int) []float32 {
	if uint(x) >= uint(p.Rect.Dx()) || uint(y) >= uint(p.Rect.Dy()) {
		return nil
	}
	o := y*p.Stride + 4*x
	return p.Pix[o : o+4]
}

// wholePixels tells whether m only moves, by whole pixels.
func wholePixels(m geom.Matrix) (dx, dy int, ok bool) {
	const near, far = 1e-4, 1 << 24
	if math.Abs(m.A-1) > 1e-6 || math.Abs(m.D-1) > 1e-6 || math.Abs(m.B) > 1e-6 || math.Abs(m.C) > 1e-6 {
		return 0, 0, false
	}
	x, y := math.Round(m.E), math.Round(m.F)
	if math.Abs(m.E-x) > near || math.Abs(m.F-y) > near || math.Abs(x) > far || math.Abs(y) > far {
		return 0, 0, false
	}
	return int(x), int(y), true
}

func boxOf(r image.Rectangle) geom.Rect {
	return geom.Rect{MinX: float64(r.Min.X), MinY: float64(r.Min.Y), MaxX: float64(r.Max.X), MaxY: float64(r.Max.Y)}
}

// Halve is a picture at half its size; each pixel is the mean of four.
func Halve(src *Image) *Image {
	w, h := max(1, src.Rect.Dx()/2), max(1, src.Rect.Dy()/2)
	out := New(image.Rect(0, 0, w, h))
	for y := range h {
		row := out.Row(0, w, y)
		for x := range w {
			px := row[4*x : 4*x+4]
			for n := range 4 {
				p := src.at(min(2*x+n&1, src.Rect.Dx()-1), min(2*y+n>>1, src.Rect.Dy()-1))
				for c := range px {
					px[c] += p[c] / 4
				}
			}
		}
	}
	return out
}
