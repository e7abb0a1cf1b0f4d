package shape

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// zigzagSmooth is the value of the popup "Points" for waves instead of teeth.
const zigzagSmooth = 2

// maxRidges limits the ridges of a segment, maxTeeth those of all paths.
const (
	maxRidges = 1000
	maxTeeth  = 50000
)

// zigzag is Zig Zag: it replaces each segment of a path by ridges, which lie on both sides of it in turn, as exports to Lottie are played.
type zigzag struct{ size, ridges, points eval.Number }

func newZigzag(p params) operator {
	return &zigzag{
		size: p.number("ADBE Vector Zigzag Size", 5), ridges: p.number("ADBE Vector Zigzag Detail", 10), points: p.number("ADBE Vector Zigzag Points", 1),
	}
}

func (o *zigzag) apply(c *contents, m *moment) {
	size, smooth := m.number(&o.size), m.number(&o.points) == zigzagSmooth
	n := 0
	if ridges := m.number(&o.ridges); ridges > 0 {
		n = m.atMost(int(math.Round(min(maxRidges+1, ridges))), min(maxRidges, maxTeeth/(1+steps(c.paths))))
	}
	c.bend(func(contour geom.Contour) geom.Contour { return toothed(contour, size, n, smooth) })
}

// toothed is a contour with n ridges in each segment, each size away from it; its own knots are ridges too.
func toothed(c geom.Contour, size float64, n int, smooth bool) geom.Contour {
	segments, knots := c.Segments(), len(c.Knots)
	if segments == 0 {
		return c
	}
	t := teeth{side: size, smooth: smooth}
	reach := func(i int) float64 {
		s := c.Segment((i + segments) % segments)
		return s[3].Sub(s[0]).Len() / float64(2*(n+1))
	}
	corner := func(i int) {
		before, after := max(0, i-1), min(knots-1, i+1)
		if c.Closed {
			before, after = (i+knots-1)%knots, (i+1)%knots
		}
		t.add(c.Knots[i%knots].At, c.Knots[after].At.Sub(c.Knots[before].At), reach(i-1), reach(i))
	}
	for i := range segments {
		corner(i)
		s := c.Segment(i).Even()
		for k := 1; k <= n; k++ {
			at := float64(k) / float64(n+1)
			t.add(s.At(at), s.Direction(at), reach(i), reach(i))
		}
	}
	// A closed path with an odd number of ridges has one on either side of its beginning.
	if !c.Closed || len(t.knots)%2 == 1 {
		corner(segments)
	}
	return geom.Contour{Knots: t.knots, Closed: c.Closed}
}

// teeth collects ridges.
type teeth struct {
	knots  []geom.Knot
	side   float64 // how far the next one is from the path
	smooth bool
}

// add adds a ridge beside a point of the path, which runs towards ahead there. Smooth ones have tangents of the lengths before and after.
func (t *teeth) add(at, ahead geom.Point, before, after float64) {
	if length := ahead.Len(); length > 0 {
		ahead = ahead.Scale(1 / length)
	}
	if !t.smooth {
		before, after = 0, 0
	}
	at = at.Add(geom.Point{X: -ahead.Y * t.side, Y: ahead.X * t.side})
	t.knots = append(t.knots, geom.Knot{In: at.Sub(ahead.Scale(before)), At: at, Out: at.Add(ahead.Scale(after))})
	t.side = -t.side
}
