package shape

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// maxGroups limits the nesting of groups.
const maxGroups = 100

// group is a list of operators, from the top.
type group struct{ operators []operator }

func newGroup(p params) *group {
	g := &group{}
	if p.ref.Prop != nil && p.depth > maxGroups {
		p.lack(beyond)
		return g
	}
	if p.ref.Prop == nil {
		return g
	}
	known := table()
	for _, child := range p.ref.Prop.Children {
		if !child.Enabled {
			continue
		}
		at := p
		at.ref.Prop, at.depth = child, p.depth+1
		switch make, ok := known[child.Match]; {
		case ok:
			g.operators = append(g.operators, make(at))
		case !silent(child):
			p.lack("shape operator '" + displayName(child) + "'")
		}
	}
	return g
}

// contents applies the operators from the top. A fill or stroke paints the outlines above it, and lies below what is painted
// above it.
func (g *group) contents(m *moment) contents {
	var c contents
	for _, o := range g.operators {
		o.apply(&c, m)
	}
	return c
}

// nested is a group with a transform of its own.
type nested struct {
	inner                         *group
	blend                         raster.Blend // nil for Normal
	anchor, position, scale       eval.Vector
	turn, skew, skewAxis, opacity eval.Number
}

func newNested(p params) operator {
	t := p.child("ADBE Vector Transform Group")
	return &nested{
		inner:  newGroup(p.child("ADBE Vectors Group")),
		blend:  p.blend("shape group "),
		anchor: t.point("ADBE Vector Anchor"), position: t.point("ADBE Vector Position"), scale: t.vector("ADBE Vector Scale", 100, 100),
		turn: t.number("ADBE Vector Rotation", 0), skew: t.number("ADBE Vector Skew", 0), skewAxis: t.number("ADBE Vector Skew Axis", 0),
		opacity: t.number("ADBE Vector Group Opacity", 100),
	}
}

func (o *nested) apply(c *contents, m *moment) {
	inner := o.inner.contents(m)
	inner.transform(o.matrix(m), m.number(&o.opacity)/100)
	c.paths = append(c.paths, inner.paths...)
	if o.blend != nil && len(inner.paints) > 0 {
		inner.paints = []painted{{Paint: Paint{Matrix: geom.Identity, Blend: o.blend}, group: inner.paints}}
	}
	c.paints = append(inner.paints, c.paints...)
}

func (o *nested) matrix(m *moment) geom.Matrix {
	anchor, at, scale := m.point(&o.anchor), m.point(&o.position), m.point(&o.scale)
	to := geom.Translate(at.X, at.Y).Mul(geom.Rotate(m.number(&o.turn)))
	if skew := m.number(&o.skew); skew != 0 {
		to = to.Mul(geom.Skew(math.Max(-85, math.Min(85, skew)), m.number(&o.skewAxis)))
	}
	return to.Mul(geom.Scale(scale.X/100, scale.Y/100)).Mul(geom.Translate(-anchor.X, -anchor.Y))
}
