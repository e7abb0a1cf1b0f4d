package shape

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// The values of the popup "Line Join" of Offset Paths that are not a mitre.
const (
	offsetRound = 2
	offsetBevel = 3
)

// maxOffset limits the steps of the paths that Offset Paths follows: each may give them more than ten times as many, and many may follow
// each other.
const maxOffset = 50000

// offset is Offset Paths: it makes shapes wider, or narrower by less than nothing.
type offset struct{ amount, join, limit eval.Number }

func newOffset(p params) operator {
	if copies := p.number("ADBE Vector Offset Copies", 1); copies.Varies() || copies.First() > 1 {
		p.lack("the copies of '" + p.name() + "'")
	}
	return &offset{
		amount: p.number("ADBE Vector Offset Amount", 10), join: p.number("ADBE Vector Offset Line Join", 1),
		limit: p.number("ADBE Vector Offset Miter Limit", 4),
	}
}

func (o *offset) apply(c *contents, m *moment) {
	amount := m.number(&o.amount)
	if amount == 0 || steps(c.paths) > maxOffset {
		return
	}
	by := geom.Parallel{MiterLimit: m.number(&o.limit)}
	switch m.number(&o.join) {
	case offsetRound:
		by.Join = geom.RoundJoin
	case offsetBevel:
		by.Join = geom.BevelJoin
	}
	c.reshape(func(path geom.Outline) geom.Outline {
		// Holes, which run the other way, become narrower.
		by.Distance = amount
		if path.Area() < 0 {
			by.Distance = -amount
		}
		var out geom.Outline
		for _, contour := range path.Contours() {
			out.Append(by.Of(contour))
		}
		return out
	})
}
