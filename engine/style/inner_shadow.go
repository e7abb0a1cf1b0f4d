package style

import (
	"math"

	"overcrank/engine/eval"
)

// innerShadow is Inner Shadow: what surrounds the layer throws its shadow on it.
type innerShadow struct {
	ink
	light
	color                 eval.Vector
	distance, choke, size eval.Number
}

func newInnerShadow(p Params) Style {
	return &innerShadow{
		ink: p.ink(multiply, 75), light: p.light(120), color: p.color("color", 0, 0, 0), distance: p.number("distance", 5),
		choke: p.number("chokeMatte", 0), size: p.number("blur", 5),
	}
}

func (s *innerShadow) soft(f *Frame) softening { return softened(f.length(&s.size), f.share(&s.choke)) }

func (s *innerShadow) Reach(f *Frame) int {
	return int(math.Ceil(f.length(&s.distance))) + 1 + s.soft(f).reach()
}

func (s *innerShadow) Paint(f *Frame, c *Canvas) {
	shadow := moved(inverted(c.Shape), s.away(f, f.length(&s.distance)), 255)
	s.soft(f).apply(shadow)
	s.lay(f, c.Inside, shadow, f.color(&s.color))
}
