package style

import (
	"image"
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// The values of the popup "Position" of Stroke.
const (
	strokeOutside = iota + 1
	strokeInside
	strokeCenter
)

// stroke is Stroke: a line along the edges of the layer.
type stroke struct {
	ink
	color      eval.Vector
	size, side eval.Number
}

func newStroke(p Params) Style {
	return &stroke{p.ink(normal, 100), p.color("color", 1, 0, 0), p.number("size", 3), p.number("style", strokeOutside)}
}

func (s *stroke) Reach(f *Frame) int { return int(math.Ceil(f.length(&s.size))) + 1 }

func (s *stroke) Paint(f *Frame, c *Canvas) {
	outside, inside := f.length(&s.size), 0.0
	switch f.choice(&s.side) {
	case strokeInside:
		outside, inside = 0, outside
	case strokeCenter:
		outside, inside = outside/2, outside/2
	}
	color := f.color(&s.color)
	if outside > 0 {
		s.lay(f, c.Around, edge(c.Shape, outside), color)
	}
	if inside > 0 {
		s.lay(f, c.Inside, edge(inverted(c.Shape), inside), color)
	}
}

// edge is what a line of some width along a shape covers of what lies outside of the shape.
func edge(shape *image.Alpha, width float64) *image.Alpha {
	out := copied(shape)
	raster.Grow(out, width)
	for i, k := range shape.Pix {
		if rest := 255 - int(k); rest > 0 {
			out.Pix[i] = uint8((int(out.Pix[i]-k)*255 + rest/2) / rest)
		}
	}
	return out
}
