package shape

import (
	"math"

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

// offset is Offset Paths: it makes shapes wider, or narrower by less than nothing. Of its copies each is that much wider than the one before; the
// first is as many times as the offset of the copies says.
type offset struct{ amount, join, limit, copies, first eval.Number }

func newOffset(p params) operator {
	o := &offset{
		amount: p.number("ADBE Vector Offset Amount", 10), join: p.number("ADBE Vector Offset Line Join", 1),
		limit:  p.number("ADBE Vector Offset Miter Limit", 4),
		copies: p.number("ADBE Vector Offset Copies", 1), first: p.number("ADBE Vector Offset Copy Offset", 0),
	}
	if o.first.Varies() || o.first.First() != 0 {
		p.detail("After Effects' own distance of the copies of '" + p.name() + "'")
	}
	return o
}

func (o *offset) apply(c *contents, m *moment) {
	amount, first := m.number(&o.amount), m.number(&o.first)
	if amount == 0 || m.atMost(steps(c.paths), maxOffset) != steps(c.paths) {
		return
	}
	copies := max(1, m.atMost(copiesOf(m.number(&o.copies)), max(1, min(maxCopies, maxOffset/(1+steps(c.paths))))))
	by := geom.Parallel{MiterLimit: m.number(&o.limit)}
	switch m.number(&o.join) {
	case offsetRound:
		by.Join = geom.RoundJoin
	case offsetBevel:
		by.Join = geom.BevelJoin
	}
	c.reshape(func(path geom.Outline) geom.Outline {
		contours := path.Contours()
		var out geom.Outline
		for i := range copies {
			by.Distance = amount * (float64(i) + 1 + first)
			if path.Area() < 0 { // holes, which run the other way, become narrower
				by.Distance = -by.Distance
			}
			for _, contour := range contours {
				if by.Distance == 0 {
					out.Add(contour)
				} else {
					out.Append(by.Of(contour))
				}
			}
		}
		return out
	})
}

// copiesOf is a number of copies.
func copiesOf(v float64) int {
	if !(v > 0) {
		return 0
	}
	return int(math.Round(min(maxCopies, v)))
}
