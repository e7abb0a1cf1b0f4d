package deep

import (
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Paint draws the shape in r over dst in one colour: red, green, blue and alpha, not premultiplied.
func Paint(dst *Image, r *raster.Rasterizer, evenOdd bool, c [4]float64) {
	a := float32(max(0, min(1, c[3])))
	full := [4]float32{float32(c[0]) * a, float32(c[1]) * a, float32(c[2]) * a, a}
	r.Spans(evenOdd, func(x, y int, cov []uint8) {
		row := dst.Row(x, x+len(cov), y)
		for i, k := range cov {
			if k != 0 {
				lay(row[4*i:4*i+4:4*i+4], full, ofByte[k])
			}
		}
	})
}

// lay draws a share of a colour over a pixel.
func lay(px []float32, c [4]float32, k float32) {
	rest := 1 - c[3]*k
	px[0], px[1], px[2], px[3] = c[0]*k+px[0]*rest, c[1]*k+px[1]*rest, c[2]*k+px[2]*rest, c[3]*k+px[3]*rest
}

// PaintGradient draws the shape in r over dst. m maps the gradient's space to dst's pixels; ink makes of a colour one of dst.
func PaintGradient(dst *Image, r *raster.Rasterizer, evenOdd bool, g *raster.Gradient, m geom.Matrix, ink func([4]float64) [4]float64) {
	inv, ok := m.Invert()
	if !ok {
		r.Spans(evenOdd, func(int, int, []uint8) {})
		return
	}
	d := g.End.Sub(g.Start)
	length := d.X*d.X + d.Y*d.Y
	if length == 0 {
		length = 1e-9
	}
	r.Spans(evenOdd, func(x, y int, cov []uint8) {
		row := dst.Row(x, x+len(cov), y)
		for i, k := range cov {
			if k == 0 {
				continue
			}
			p := inv.Apply(geom.Point{X: float64(x+i) + 0.5, Y: float64(y) + 0.5}).Sub(g.Start)
			t := (p.X*d.X + p.Y*d.Y) / length
			if g.Radial {
				t = math.Sqrt((p.X*p.X + p.Y*p.Y) / length)
			}
			c := ink(g.At(max(0, min(1, t))))
			a := float32(c[3])
			lay(row[4*i:4*i+4:4*i+4], [4]float32{float32(c[0]) * a, float32(c[1]) * a, float32(c[2]) * a, a}, ofByte[k])
		}
	})
}
