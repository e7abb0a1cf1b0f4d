package raster

import (
	"overcrank/engine/geom"
)

// finest is the largest scale for which curves are divided finely enough to be seen in perspective.
const finest = 64

// InPerspective is a shape as h shows it, filled, of straight lines: what lies behind the viewer is cut off.
func (s *Shape) InPerspective(h geom.Homography) Shape {
	out := Shape{Color: s.Color, EvenOdd: s.EvenOdd && s.Stroke == nil}
	magnified := h.Magnifies(s.Bounds())
	if !(magnified > 0) {
		return out
	}
	tolerance := flatness / min(magnified, finest)
	add := func(polygon []geom.Point) {
		for i, p := range h.Cut(polygon) {
			q, _ := h.Apply(p)
			if i == 0 {
				out.Outline.Move(q.X, q.Y)
			} else {
				out.Outline.Line(q.X, q.Y)
			}
		}
		out.Outline.Close()
	}
	if s.Stroke != nil {
		for _, polygon := range s.Stroke.around(s.Outline, tolerance) {
			add(polygon)
		}
		return out
	}
	for _, l := range s.Outline.Flatten(geom.Identity, tolerance) {
		add(l.Points)
	}
	return out
}
