package shape

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// twistPieces is into how many pieces each segment of a twisted path is divided.
const twistPieces = 8

// twist is Twist: it turns a path around a point, its middle by the whole angle, and its points less the farther away they are. How much less
// Adobe does not say; here it is in proportion.
type twist struct {
	angle  eval.Number
	center eval.Vector
}

func newTwist(p params) operator {
	p.detail("After Effects' own curve of '" + p.name() + "'")
	return &twist{p.number("ADBE Vector Twist Angle", 10), p.point("ADBE Vector Twist Center")}
}

func (o *twist) apply(c *contents, m *moment) {
	angle, center := m.number(&o.angle), m.point(&o.center)
	if !(math.Abs(angle) > 0 && math.Abs(angle) < 1e6) {
		return
	}
	pieces := max(1, min(twistPieces, maxTeeth/(1+steps(c.paths))))
	c.reshape(func(path geom.Outline) geom.Outline {
		far := 0.0
		for _, p := range path.Points {
			far = math.Max(far, p.Sub(center).Len())
		}
		if !(far > 0) {
			return path
		}
		turned := func(p geom.Point) geom.Point {
			d := p.Sub(center)
			return center.Add(geom.Rotate(angle * (1 - math.Min(1, d.Len()/far))).Apply(d))
		}
		var out geom.Outline
		for _, contour := range path.Contours() {
			fine := divided(contour, pieces)
			for i, k := range fine.Knots {
				fine.Knots[i] = geom.Knot{In: turned(k.In), At: turned(k.At), Out: turned(k.Out)}
			}
			out.Add(fine)
		}
		return out
	})
}

// divided is a contour whose segments are cut into pieces. Lines become curves, which can be bent.
func divided(c geom.Contour, pieces int) geom.Contour {
	out := geom.Contour{Closed: c.Closed}
	if c.Segments() == 0 {
		return c
	}
	for i := range c.Segments() {
		rest := c.Segment(i).Even()
		for left := pieces; left > 0; left-- {
			one := rest
			if left > 1 {
				one, rest = rest.Split(1 / float64(left))
			}
			if n := len(out.Knots); n > 0 {
				out.Knots[n-1].Out = one[1]
			} else {
				out.Knots = append(out.Knots, geom.Knot{In: one[0], At: one[0], Out: one[1]})
			}
			out.Knots = append(out.Knots, geom.Knot{In: one[2], At: one[3], Out: one[3]})
		}
	}
	if last := len(out.Knots) - 1; c.Closed && last > 0 {
		out.Knots[0].In = out.Knots[last].In
		out.Knots = out.Knots[:last]
	}
	return out
}
