package shape

import (
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// round is Round Corners: it replaces corners between straight lines by quarters of circles. Where lines meet at other angles than a right
// one the curve is the same, stretched, as exports to Lottie are played.
type round struct{ radius eval.Number }

// roundness is the distance of a control point from the end of its curve, as a fraction of that end's distance from the corner, in exports
// to Lottie.
const roundness = 0.5519

func newRound(p params) operator { return &round{p.number("ADBE Vector RoundCorner Radius", 10)} }

func (o *round) apply(c *contents, m *moment) {
	radius := m.number(&o.radius)
	if !(radius > 0) {
		return
	}
	c.bend(func(contour geom.Contour) geom.Contour { return rounded(contour, radius) })
}

func rounded(c geom.Contour, radius float64) geom.Contour {
	out := geom.Contour{Closed: c.Closed}
	n := len(c.Knots)
	for i, k := range c.Knots {
		if !k.Corner() || !c.Closed && (i == 0 || i == n-1) {
			out.Knots = append(out.Knots, k)
			continue
		}
		before, after := shortened(k.At, c.Knots[(i+n-1)%n].At, radius), shortened(k.At, c.Knots[(i+1)%n].At, radius)
		out.Knots = append(out.Knots,
			geom.Knot{In: before, At: before, Out: before.Lerp(k.At, roundness)},
			geom.Knot{In: after.Lerp(k.At, roundness), At: after, Out: after})
	}
	return out
}

// shortened is the point at a distance from a towards b, and no further than half of the way.
func shortened(a, b geom.Point, distance float64) geom.Point {
	length := b.Sub(a).Len()
	if !(length > 0) {
		return a
	}
	return a.Lerp(b, min(0.5, distance/length))
}
