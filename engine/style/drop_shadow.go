package style

import (
	"math"

	"overcrank/engine/eval"
)

// dropShadow is Drop Shadow: the shape of the layer, moved and blurred, lies under it.
type dropShadow struct {
	ink
	light
	color                         eval.Vector
	distance, spread, size, hides eval.Number
}

func newDropShadow(p Params) Style {
	return &dropShadow{
		ink: p.ink(multiply, 75), light: p.light(120), color: p.color("color", 0, 0, 0), distance: p.number("distance", 5),
		spread: p.number("chokeMatte", 0), size: p.number("blur", 5), hides: p.number("layerConceals", 1),
	}
}

func (s *dropShadow) soft(f *Frame) softening { return softened(f.length(&s.size), f.share(&s.spread)) }

func (s *dropShadow) Reach(f *Frame) int {
	return int(math.Ceil(f.length(&s.distance))) + 1 + s.soft(f).reach()
}

func (s *dropShadow) Paint(f *Frame, c *Canvas) {
	shadow := moved(c.Shape, s.away(f, f.length(&s.distance)), 0)
	s.soft(f).apply(shadow)
	dark := f.color(&s.color)
	if f.choice(&s.hides) == 0 {
		s.lay(f, c.Inside, shadow, dark)
	}
	s.lay(f, c.Around, shadow, dark)
}
