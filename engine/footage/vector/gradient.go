package vector

import (
	"encoding/binary"
	"image"
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Spread is what a gradient shows before its beginning and after its end.
type Spread uint8

// The ways of spreading.
const (
	Pad Spread = iota
	Reflect
	Repeat
)

// Gradient is a gradient along a line, or from one circle to another.
type Gradient struct {
	Radial       bool
	Start, End   geom.Point
	StartRadius  float64
	EndRadius    float64
	Matrix       geom.Matrix // to the space of what it paints
	Spread       Spread
	Before, Past bool   // nothing is painted before the beginning, or past the end
	Stops        []Stop // by their offsets
	Opacity      float64
}

// Stop is a colour, red, green, blue and alpha from 0 to 1, at an offset from 0 to 1.
type Stop struct {
	Offset float64
	Color  [4]float64
}

// steps is how many colours a gradient is drawn with.
const steps = 1024

// ramp is the gradient from its beginning to its end.
func (g *Gradient) ramp() (out [steps]raster.Color) {
	next := 0
	for i := range out {
		t := float64(i) / (steps - 1)
		for next < len(g.Stops) && g.Stops[next].Offset <= t {
			next++
		}
		c := g.between(next, t)
		c[3] *= g.Opacity
		out[i] = raster.Premultiply(c)
	}
	return out
}

// between is the colour at t, where next is the first stop after it.
func (g *Gradient) between(next int, t float64) [4]float64 {
	switch {
	case len(g.Stops) == 0:
		return [4]float64{}
	case next == 0:
		return g.Stops[0].Color
	case next == len(g.Stops):
		return g.Stops[next-1].Color
	}
	a, b := g.Stops[next-1], g.Stops[next]
	k := (t - a.Offset) / (b.Offset - a.Offset)
	var c [4]float64
	for i := range c {
		c[i] = a.Color[i] + (b.Color[i]-a.Color[i])*k
	}
	return c
}

// paint draws what r holds with the gradient, mapped by m, over dst.
func (g *Gradient) paint(dst *raster.Image, r *raster.Rasterizer, evenOdd bool, m geom.Matrix, blend raster.Blend) {
	inv, ok := m.Mul(g.Matrix).Invert()
	if !ok {
		r.Spans(evenOdd, func(int, int, []uint8) {})
		return
	}
	ramp := g.ramp()
	var line []uint8
	r.Spans(evenOdd, func(x, y int, cov []uint8) {
		if len(line) < 4*len(cov) {
			line = make([]uint8, 4*len(cov))
		}
		row := line[:4*len(cov)]
		for i, k := range cov {
			var c raster.Color
			if k != 0 {
				if t, ok := g.at(inv.Apply(geom.Point{X: float64(x+i) + 0.5, Y: float64(y) + 0.5})); ok {
					c = faded(ramp[int(t*(steps-1)+0.5)], k)
				}
			}
			binary.LittleEndian.PutUint32(row[4*i:], binary.LittleEndian.Uint32(c[:]))
		}
		blend(dst.Pix[dst.PixOffset(x, y):][:len(row)], row, raster.Span{X: x, Y: y, Opacity: 1})
	})
}

// faded is a premultiplied colour times k of 255.
func faded(c raster.Color, k uint8) raster.Color {
	if k == 255 {
		return c
	}
	for i := range c {
		c[i] = uint8((uint32(c[i])*uint32(k) + 127) / 255)
	}
	return c
}

// at is how far along the gradient a point lies, from 0 to 1; false where it paints nothing.
func (g *Gradient) at(p geom.Point) (float64, bool) {
	if g.Radial {
		return g.between2(p)
	}
	d, to := g.End.Sub(g.Start), p.Sub(g.Start)
	length := d.X*d.X + d.Y*d.Y
	if length == 0 {
		return g.spread(1)
	}
	return g.spread((to.X*d.X + to.Y*d.Y) / length)
}

// between2 finds the last of the circles, from the one at the start to the one at the end, that passes through a point:
// the larger t for which |p - c(t)| = r(t) and r(t) is not negative.
func (g *Gradient) between2(p geom.Point) (float64, bool) {
	d, to := g.End.Sub(g.Start), p.Sub(g.Start)
	dr := g.EndRadius - g.StartRadius
	a := d.X*d.X + d.Y*d.Y - dr*dr
	b := to.X*d.X + to.Y*d.Y + g.StartRadius*dr
	c := to.X*to.X + to.Y*to.Y - g.StartRadius*g.StartRadius
	var roots [2]float64
	if math.Abs(a) < 1e-12*(1+dr*dr) {
		if b == 0 {
			return 0, false
		}
		roots[0] = c / (2 * b)
		roots[1] = roots[0]
	} else {
		under := b*b - a*c
		if under < 0 {
			return 0, false
		}
		root := math.Sqrt(under)
		roots[0], roots[1] = max((b+root)/a, (b-root)/a), min((b+root)/a, (b-root)/a)
	}
	for _, t := range roots {
		if g.StartRadius+t*dr < 0 {
			continue
		}
		if at, ok := g.spread(t); ok {
			return at, true
		}
	}
	return 0, false
}

// spread brings t into the gradient.
func (g *Gradient) spread(t float64) (float64, bool) {
	switch {
	case math.IsNaN(t), t < 0 && g.Before, t > 1 && g.Past:
		return 0, false
	case t >= 0 && t <= 1:
		return t, true
	case g.Spread == Repeat:
		t -= math.Floor(t)
	case g.Spread == Reflect:
		t = math.Abs(math.Mod(t, 2))
		if t > 1 {
			t = 2 - t
		}
	}
	return max(0, min(1, t)), true
}

// luminance makes of a picture the mask that its brightness is; what lies outside of it is black.
func luminance(img *raster.Image) *image.Alpha {
	out := image.NewAlpha(img.Rect)
	for i := range out.Pix {
		p := img.Pix[4*i : 4*i+4]
		out.Pix[i] = uint8((2126*uint32(p[0]) + 7152*uint32(p[1]) + 722*uint32(p[2]) + 5000) / 10000)
	}
	return out
}
