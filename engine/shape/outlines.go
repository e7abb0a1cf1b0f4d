package shape

import (
	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// backwards is the value of the popup "Shape Direction" for outlines that run the other way.
const backwards = 3

func directed(o geom.Outline, direction float64) geom.Outline {
	if direction == backwards {
		return o.Reverse()
	}
	return o
}

type rect struct {
	size, position       eval.Vector
	roundness, direction eval.Number
}

func newRect(p params) operator {
	return &rect{
		size: p.vector("ADBE Vector Rect Size", 100, 100), position: p.point("ADBE Vector Rect Position"),
		roundness: p.number("ADBE Vector Rect Roundness", 0), direction: p.number("ADBE Vector Shape Direction", 1),
	}
}

func (o *rect) apply(c *contents, m *moment) {
	size, at := m.point(&o.size), m.point(&o.position)
	c.add(directed(geom.RectOutline(at.X, at.Y, size.X, size.Y, m.number(&o.roundness)), m.number(&o.direction)))
}

type ellipse struct {
	size, position eval.Vector
	direction      eval.Number
}

func newEllipse(p params) operator {
	return &ellipse{
		size: p.vector("ADBE Vector Ellipse Size", 100, 100), position: p.point("ADBE Vector Ellipse Position"),
		direction: p.number("ADBE Vector Shape Direction", 1),
	}
}

func (o *ellipse) apply(c *contents, m *moment) {
	size, at := m.point(&o.size), m.point(&o.position)
	c.add(directed(geom.EllipseOutline(at.X, at.Y, size.X, size.Y), m.number(&o.direction)))
}

// starPolygon is the value of the popup "Type" of a polystar that is a polygon.
const starPolygon = 2

type star struct {
	kind, points, rotation, innerRadius, outerRadius, innerRoundness, outerRoundness, direction eval.Number
	position                                                                                    eval.Vector
}

func newStar(p params) operator {
	return &star{
		kind: p.number("ADBE Vector Star Type", 1), position: p.point("ADBE Vector Star Position"),
		points: p.number("ADBE Vector Star Points", 5), rotation: p.number("ADBE Vector Star Rotation", 0),
		innerRadius: p.number("ADBE Vector Star Inner Radius", 50), outerRadius: p.number("ADBE Vector Star Outer Radius", 100),
		// The files misspell the match names of the two roundnesses.
		innerRoundness: p.number("ADBE Vector Star Inner Roundess", 0), outerRoundness: p.number("ADBE Vector Star Outer Roundess", 0),
		direction: p.number("ADBE Vector Shape Direction", 1),
	}
}

func (o *star) apply(c *contents, m *moment) {
	s := geom.Star{
		Polygon: m.number(&o.kind) == starPolygon, Center: m.point(&o.position),
		Points: m.number(&o.points), Rotation: m.number(&o.rotation),
		InnerRadius: m.number(&o.innerRadius), OuterRadius: m.number(&o.outerRadius),
		InnerRoundness: m.number(&o.innerRoundness), OuterRoundness: m.number(&o.outerRoundness),
	}
	c.add(directed(s.Outline(), m.number(&o.direction)))
}

// bezier is a path that was drawn by hand.
type bezier struct {
	path      eval.Slot
	direction eval.Number
}

func newBezier(p params) operator {
	return &bezier{eval.SlotOf(p.at("ADBE Vector Shape")), p.number("ADBE Vector Shape Direction", 1)}
}

func (o *bezier) apply(c *contents, m *moment) {
	if p, ok := o.path.At(m.eval, m.t).(*aep.Path); ok && p != nil {
		c.add(directed(OutlineOf(p), m.number(&o.direction)))
	}
}

// OutlineOf converts a path to an outline.
func OutlineOf(p *aep.Path) geom.Outline {
	var o geom.Outline
	n := len(p.Vertices)
	if n == 0 {
		return o
	}
	o.Move(p.Vertices[0].X, p.Vertices[0].Y)
	last := n - 1
	if p.Closed {
		last = n
	}
	for i := range last {
		a, b := p.Vertices[i], p.Vertices[(i+1)%n]
		if a.OutX == 0 && a.OutY == 0 && b.InX == 0 && b.InY == 0 {
			o.Line(b.X, b.Y)
		} else {
			o.Cubic(a.X+a.OutX, a.Y+a.OutY, b.X+b.InX, b.Y+b.InY, b.X, b.Y)
		}
	}
	if p.Closed {
		o.Close()
	}
	return o
}
