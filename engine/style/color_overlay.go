package style

import "overcrank/engine/eval"

// colorOverlay is Color Overlay: one colour over the layer.
type colorOverlay struct {
	ink
	color eval.Vector
}

func newColorOverlay(p Params) Style {
	return &colorOverlay{p.ink(normal, 100), p.color("color", 1, 0, 0)}
}

func (s *colorOverlay) Reach(*Frame) int { return 0 }

func (s *colorOverlay) Paint(f *Frame, c *Canvas) {
	s.lay(f, c.Inside, full(c.Inside.Rect), f.color(&s.color))
}
