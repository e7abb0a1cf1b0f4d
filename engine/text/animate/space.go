package animate

import (
	"overcrank/engine/geom"
)

// space places the glyphs of each line by their tracking, and lines by their spacing. Tracking before the first and after the last
// character of a line has no effect, and the line stays where it is anchored.
func (s *setting) space() {
	var down geom.Point
	last := -1
	s.lines(func(line int, glyphs []glyph) {
		spacing := geom.Point{}
		for i := range glyphs {
			spacing = spacing.Add(glyphs[i].spacing)
		}
		if last >= 0 {
			down = down.Add(spacing.Scale(float64(line-last) / float64(len(glyphs))))
		}
		last = line
		s.spaceLine(line, glyphs, down)
	})
}

func (s *setting) spaceLine(line int, glyphs []glyph, by geom.Point) {
	end := len(glyphs) - 1
	for end > 0 && glyphs[end].Space() {
		end--
	}
	moved, anchor, anchored := 0.0, 0.0, 0
	for i := range glyphs {
		g := &glyphs[i]
		if i > 0 && i <= end {
			moved += g.before
		}
		g.x, g.y = g.X+moved+by.X, g.Y+by.Y
		if i < end {
			moved += g.after
		}
		if g.anchored {
			anchor += g.align
			anchored++
		}
	}
	align := s.layout.Lines[line].Align
	if anchored > 0 {
		align = anchor / float64(anchored)
	}
	for i := range glyphs {
		glyphs[i].x -= moved * align
	}
}
