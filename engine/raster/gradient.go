package raster

import (
	"encoding/binary"
	"math"

	"overcrank/engine/geom"
)

// Gradient is a linear or radial gradient. Colours and opacities have separate stops; offsets, midpoints and values are
// 0–1. A midpoint is where, between its stop and the next, the mixture is half and half.
type Gradient struct {
	Radial     bool
	Start, End geom.Point
	Colors     []ColorStop
	Alphas     []AlphaStop
	opacity    float64 // the opacity minus 1, so that the zero value is opaque
}

// ColorStop is a colour at an offset.
type ColorStop struct {
	Offset, Midpoint float64
	RGB              [3]float64
}

// AlphaStop is an opacity at an offset.
type AlphaStop struct{ Offset, Midpoint, Alpha float64 }

// Faded is the gradient with an opacity of 0 to 1.
func (g *Gradient) Faded(opacity float64) *Gradient {
	out := *g
	out.opacity = (1+g.opacity)*unit(opacity) - 1
	return &out
}

// Values passes all values of the gradient to each, so that gradients can be told apart.
func (g *Gradient) Values(each func(...float64)) {
	each(g.Start.X, g.Start.Y, g.End.X, g.End.Y, g.opacity)
	if g.Radial {
		each(1)
	}
	for _, s := range g.Colors {
		each(s.Offset, s.Midpoint, s.RGB[0], s.RGB[1], s.RGB[2])
	}
	for _, s := range g.Alphas {
		each(s.Offset, s.Midpoint, s.Alpha)
	}
}

// At is the colour, red, green, blue and alpha, at a share of the way.
func (g *Gradient) At(t float64) [4]float64 {
	c := [4]float64{3: g.alpha(t) * (1 + g.opacity)}
	copy(c[:3], g.color(t))
	return c
}

// Ramp is the gradient in 256 steps.
func (g *Gradient) Ramp() [256]Color {
	var out [256]Color
	for i := range out {
		out[i] = Premultiply(g.At(float64(i) / 255))
	}
	return out
}

func (g *Gradient) color(t float64) []float64 {
	for i, s := range g.Colors {
		if t > s.Offset && i < len(g.Colors)-1 {
			continue
		}
		if i == 0 || t >= s.Offset {
			return s.RGB[:]
		}
		before := g.Colors[i-1]
		k := mixture(t, before.Offset, s.Offset, before.Midpoint)
		out := make([]float64, 3)
		for c := range out {
			out[c] = before.RGB[c] + (s.RGB[c]-before.RGB[c])*k
		}
		return out
	}
	return []float64{0, 0, 0}
}

func (g *Gradient) alpha(t float64) float64 {
	for i, s := range g.Alphas {
		if t > s.Offset && i < len(g.Alphas)-1 {
			continue
		}
		if i == 0 || t >= s.Offset {
			return s.Alpha
		}
		before := g.Alphas[i-1]
		return before.Alpha + (s.Alpha-before.Alpha)*mixture(t, before.Offset, s.Offset, before.Midpoint)
	}
	return 1
}

func mixture(t, from, to, midpoint float64) float64 {
	if to <= from {
		return 1
	}
	k := (t - from) / (to - from)
	if midpoint <= 0 || midpoint >= 1 || midpoint == 0.5 {
		return k
	}
	if k < midpoint {
		return 0.5 * k / midpoint
	}
	return 0.5 + 0.5*(k-midpoint)/(1-midpoint)
}

// PaintGradient draws the shape in r over dst. m maps the gradient's space to dst's pixels.
func (r *Rasterizer) PaintGradient(dst *Image, evenOdd bool, g *Gradient, m geom.Matrix) {
	ramp := g.Ramp()
	inv, ok := m.Invert()
	if !ok {
		return
	}
	d := g.End.Sub(g.Start)
	length := d.X*d.X + d.Y*d.Y
	if length == 0 {
		length = 1e-9
	}
	r.Spans(evenOdd, func(x, y int, cov []uint8) {
		row := dst.Pix[dst.PixOffset(x, y):]
		for i, k := range cov {
			if k == 0 {
				continue
			}
			p := inv.Apply(geom.Point{X: float64(x+i) + 0.5, Y: float64(y) + 0.5}).Sub(g.Start)
			t := (p.X*d.X + p.Y*d.Y) / length
			if g.Radial {
				t = math.Sqrt((p.X*p.X + p.Y*p.Y) / length)
			}
			s := scale(binary.LittleEndian.Uint32(ramp[int(unit(t)*255+0.5)][:]), uint32(k))
			px := row[4*i : 4*i+4]
			binary.LittleEndian.PutUint32(px, s+scale(binary.LittleEndian.Uint32(px), 255-s>>24))
		}
	})
}
