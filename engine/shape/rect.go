package shape

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// rectTolerance is how far the box around curves may lie from them, in pixels of the layer.
const rectTolerance = 0.01

// Rect is the box around all outlines at composition time t, painted or not, in pixels of the layer; with those of the strokes if strokes is true.
func (c *Contents) Rect(e *eval.Evaluator, t float64, strokes bool) geom.Rect {
	m := moment{eval: e, t: t}
	now := c.root.contents(&m)
	var corners []geom.Point
	for _, p := range now.paths {
		corners = append(corners, points(p.outline, p.m)...)
	}
	if strokes {
		corners = append(corners, stroked(finished(now.paints, &m))...)
	}
	return around(corners)
}

// stroked are the corners of the boxes around the strokes among paints.
func stroked(paints []Paint) (corners []geom.Point) {
	for i := range paints {
		p := &paints[i]
		outline := points(p.Shape.Outline, geom.Identity)
		if s := p.Shape.Stroke; s != nil && len(outline) > 0 {
			box := around(outline).Grow(s.Width / 2)
			for _, corner := range []geom.Point{{X: box.MinX, Y: box.MinY}, {X: box.MaxX, Y: box.MinY}, {X: box.MaxX, Y: box.MaxY}, {X: box.MinX, Y: box.MaxY}} {
				corners = append(corners, p.Matrix.Apply(corner))
			}
		}
		corners = append(corners, stroked(p.Group)...)
	}
	return corners
}

// points are those of an outline mapped by m, with curves as lines: the box around what steers curves would be too wide.
func points(o geom.Outline, m geom.Matrix) (out []geom.Point) {
	for _, line := range o.Flatten(m, rectTolerance) {
		out = append(out, line.Points...)
	}
	return out
}

// around is the box around points, which may be flat.
func around(points []geom.Point) (box geom.Rect) {
	for i, p := range points {
		if i == 0 {
			box = geom.Rect{MinX: p.X, MinY: p.Y, MaxX: p.X, MaxY: p.Y}
		}
		box = geom.Rect{MinX: min(box.MinX, p.X), MinY: min(box.MinY, p.Y), MaxX: max(box.MaxX, p.X), MaxY: max(box.MaxY, p.Y)}
	}
	return box
}
