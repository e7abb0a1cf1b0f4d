package geom

import (
	"math"
	"slices"
)

// Join is how the sides of a parallel meet at a corner that they go around.
type Join int

// The joins.
const (
	MiterJoin Join = iota
	RoundJoin
	BevelJoin
)

// Parallel follows a contour at a distance.
type Parallel struct {
	Distance   float64 // outwards from a contour that is clockwise on screen
	Join       Join
	MiterLimit float64 // the length of a corner, as a multiple of the distance, beyond which it is bevelled
}

// Of is the parallel of a contour, which is closed; an open contour gets one around it. Where a contour is narrower than twice the distance,
// its parallel crosses itself; when all of it is, there is none.
func (p Parallel) Of(c Contour) Outline {
	closed := c.Closed
	if !closed {
		c = thereAndBack(c)
		p.Distance = math.Abs(p.Distance)
	}
	sides := p.sides(c)
	if !slices.ContainsFunc(sides, func(s side) bool { return s.chord.dot(s.moved[3].Sub(s.moved[0])) > 0 }) {
		return Outline{}
	}
	var out, around Outline
	out.Move(sides[0].moved[0].X, sides[0].moved[0].Y)
	for i := range sides {
		out.along(sides[i].moved)
		p.turn(&out, &sides[i], &sides[(i+1)%len(sides)])
	}
	out.Close()
	if around.Add(c); closed && out.Area()*around.Area() < 0 {
		return Outline{}
	}
	return out
}

// sides are the parallels of all pieces of a contour, which meet where they are inside of its corners.
func (p Parallel) sides(c Contour) []side {
	var out []side
	for i := range c.Segments() {
		for _, s := range c.Segment(i).gentle() {
			if next, ok := p.side(s); ok {
				out = append(out, next)
			}
		}
	}
	for i := range out {
		p.fit(&out[i], &out[(i+1)%len(out)])
	}
	return out
}

// side is a piece of a contour and its parallel.
type side struct {
	moved    Curve
	end      Point // of the piece itself
	chord    Point // from its beginning to its end
	from, to Point // its directions at both ends, of length 1
}

// side is false for a piece without length.
func (p Parallel) side(c Curve) (side, bool) {
	chord := c[3].Sub(c[0])
	from, to := c.ends()
	if chord.Len() == 0 || from.Len() == 0 || to.Len() == 0 {
		return side{}, false
	}
	s := side{end: c[3], chord: chord, from: from.Scale(1 / from.Len()), to: to.Scale(1 / to.Len())}
	a, b := c[0].Add(s.from.outwards().Scale(p.Distance)), c[3].Add(s.to.outwards().Scale(p.Distance))
	// The tangents grow like the chord, which is exact for circles.
	k := chord.dot(b.Sub(a)) / chord.dot(chord)
	s.moved = Curve{a, a.Add(c[1].Sub(c[0]).Scale(k)), b.Add(c[2].Sub(c[3]).Scale(k)), b}
	return s, true
}

// angle is by how much the direction turns from a to b, in radians.
func angle(a, b Point) float64 { return math.Atan2(a.X*b.Y-a.Y*b.X, a.dot(b)) }

// smooth is the angle, in radians, below which two sides are taken as one, and up to which a line is taken to turn back.
const smooth = 1e-3

// turning is by how much the contour turns between two sides, in radians, positive where the parallel goes around the corner.
func (p Parallel) turning(a, b *side) float64 {
	turn := angle(a.to, b.from)
	if math.Abs(turn) > math.Pi-smooth {
		return math.Pi
	}
	return math.Copysign(1, p.Distance) * turn
}

// fit lets two sides that go straight on meet, and two lines inside of a corner end where they cross.
func (p Parallel) fit(a, b *side) {
	at, straight := a.moved[3], a.moved.straight() && b.moved.straight()
	switch turn := p.turning(a, b); {
	case math.Abs(turn) < smooth:
	case turn < 0 && straight:
		at = p.crossing(a, b)
	default:
		return
	}
	a.moved = a.moved.between(a.moved[0], at)
	b.moved = b.moved.between(at, b.moved[3])
}

// between is the curve with other ends; a line stays one.
func (c Curve) between(from, to Point) Curve {
	if c.straight() {
		return Curve{from, from, to, to}
	}
	c[0], c[3] = from, to
	return c
}

// crossing is where the lines cross that follow two sides at their common end.
func (p Parallel) crossing(a, b *side) Point {
	return a.end.Add(a.to.outwards().Add(b.from.outwards()).Scale(p.Distance / (1 + a.to.dot(b.from))))
}

// turn goes from the end of one side to the beginning of the next.
func (p Parallel) turn(out *Outline, a, b *side) {
	to := b.moved[0]
	if a.moved[3] == to {
		return
	}
	if turn := p.turning(a, b); turn > 0 {
		switch p.Join {
		case RoundJoin:
			out.arc(a.end, a.moved[3], math.Copysign(turn, p.Distance))
			return
		case MiterJoin:
			if cos := math.Cos(turn / 2); turn < math.Pi && 1/cos <= p.MiterLimit {
				tip := p.crossing(a, b)
				out.Line(tip.X, tip.Y)
			}
		}
	}
	out.Line(to.X, to.Y)
}

// arc draws an arc around a centre by an angle in radians.
func (o *Outline) arc(center, from Point, turn float64) {
	n := math.Ceil(math.Abs(turn) / (math.Pi / 2))
	step := Translate(center.X, center.Y).Mul(Rotate(turn / n * 180 / math.Pi)).Mul(Translate(-center.X, -center.Y))
	k := 4.0 / 3 * math.Tan(turn/n/4)
	for range int(n) {
		to := step.Apply(from)
		a, b := from.Sub(center), to.Sub(center)
		o.Cubic(from.X-a.Y*k, from.Y+a.X*k, to.X+b.Y*k, to.Y-b.X*k, to.X, to.Y)
		from = to
	}
}

// along draws a curve, or the line that it is.
func (o *Outline) along(c Curve) {
	if c.straight() {
		o.Line(c[3].X, c[3].Y)
		return
	}
	o.Cubic(c[1].X, c[1].Y, c[2].X, c[2].Y, c[3].X, c[3].Y)
}

// thereAndBack is the closed contour that follows an open one to its end and back.
func thereAndBack(c Contour) Contour {
	out := Contour{Closed: true}
	n := len(c.Knots)
	for i, k := range c.Knots {
		switch i {
		case 0:
			k.In = k.Out
		case n - 1:
			k.Out = k.In
		}
		out.Knots = append(out.Knots, k)
	}
	for i := n - 2; i > 0; i-- {
		k := c.Knots[i]
		out.Knots = append(out.Knots, Knot{In: k.Out, At: k.At, Out: k.In})
	}
	return out
}

func (p Point) dot(q Point) float64 { return p.X*q.X + p.Y*q.Y }

// outwards is a direction turned to the outside of a contour that is clockwise on screen.
func (p Point) outwards() Point { return Point{p.Y, -p.X} }

func (c Curve) straight() bool { return c[0] == c[1] && c[2] == c[3] }

// ends are the directions in which the curve begins and ends.
func (c Curve) ends() (from, to Point) {
	for _, p := range c[1:] {
		if from = p.Sub(c[0]); from != (Point{}) {
			break
		}
	}
	for i := 2; i >= 0; i-- {
		if to = c[3].Sub(c[i]); to != (Point{}) {
			break
		}
	}
	return from, to
}

// gentle cuts the curve into pieces that turn by no more than about 30 degrees.
func (c Curve) gentle() []Curve {
	const most = 16
	a, b, d := c[1].Sub(c[0]), c[2].Sub(c[1]), c[3].Sub(c[2])
	turn := math.Abs(angle(a, b)) + math.Abs(angle(b, d))
	if c.straight() || !(turn > 0) {
		return []Curve{c}
	}
	n := int(min(most, math.Ceil(turn/(math.Pi/6))))
	out := make([]Curve, n)
	for i := range n - 1 {
		out[i], c = c.Split(1 / float64(n-i))
	}
	out[n-1] = c
	return out
}

// Area is the area within the outline's contours, those that are clockwise on screen less the others.
func (o Outline) Area() float64 {
	const tolerance = 0.05
	sum := 0.0
	for _, l := range o.Flatten(Identity, tolerance) {
		for i, p := range l.Points {
			q := l.Points[(i+1)%len(l.Points)]
			sum += p.X*q.Y - p.Y*q.X
		}
	}
	return sum / 2
}
