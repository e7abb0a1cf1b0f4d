package geom

import (
	"math"
	"slices"
)

// Verb is a step of an Outline.
type Verb uint8

// The steps, with the points each takes.
const (
	MoveTo  Verb = iota // 1
	LineTo              // 1
	CubicTo             // 3: two controls and the end
	Close               // 0
)

// Outline is a path of lines and cubic curves.
type Outline struct {
	Verbs  []Verb
	Points []Point
}

// Move starts a contour.
func (o *Outline) Move(x, y float64) { o.add(MoveTo, Point{x, y}) }

// Line draws to a point.
func (o *Outline) Line(x, y float64) { o.add(LineTo, Point{x, y}) }

// Cubic draws a curve to (x, y).
func (o *Outline) Cubic(x1, y1, x2, y2, x, y float64) {
	o.add(CubicTo, Point{x1, y1}, Point{x2, y2}, Point{x, y})
}

// Close closes the contour.
func (o *Outline) Close() { o.add(Close) }

func (o *Outline) add(v Verb, pts ...Point) {
	o.Verbs = append(o.Verbs, v)
	o.Points = append(o.Points, pts...)
}

// Append adds the contours of p.
func (o *Outline) Append(p Outline) {
	o.Verbs = append(o.Verbs, p.Verbs...)
	o.Points = append(o.Points, p.Points...)
}

// Transform is a copy of o mapped by m.
func (o Outline) Transform(m Matrix) Outline {
	pts := make([]Point, len(o.Points))
	for i, p := range o.Points {
		pts[i] = m.Apply(p)
	}
	return Outline{Verbs: o.Verbs, Points: pts}
}

// Bounds is a box around the outline's points, control points included, which contains its curves.
func (o Outline) Bounds() Rect { return bounds(o.Points) }

// Polyline is a contour of straight lines.
type Polyline struct {
	Points []Point
	Closed bool
}

// Spread are n points evenly along the line, from its first, and its directions there, of length 1; those of a line without a length are zero. The
// points of an open line end at its last.
func (p Polyline) Spread(n int) (at, ways []Point) {
	pts, gaps := p.Points, max(1, n-1)
	if len(pts) == 0 {
		return nil, nil
	}
	if p.Closed {
		pts, gaps = append(slices.Clone(pts), pts[0]), n
	}
	whole := 0.0
	for i := range len(pts) - 1 {
		whole += pts[i+1].Sub(pts[i]).Len()
	}
	way, left, long, i := Point{}, 0.0, 0.0, -1 // left of the piece that begins at point i
	for range n {
		for left <= 0 && i+2 < len(pts) {
			i++
			if d := pts[i+1].Sub(pts[i]); d.Len() > 0 {
				long = d.Len()
				left, way = left+long, d.Scale(1/long)
			}
		}
		at, ways = append(at, pts[max(0, i)].Add(way.Scale(long-left))), append(ways, way)
		left -= whole / float64(gaps)
	}
	return at, ways
}

// Flatten is the outline mapped by m, with curves replaced by lines that stay within tolerance of them.
func (o Outline) Flatten(m Matrix, tolerance float64) []Polyline {
	var out []Polyline
	var cur Polyline
	flush := func() {
		if len(cur.Points) > 0 {
			out = append(out, cur)
		}
		cur = Polyline{}
	}
	var start Point
	i := 0
	for _, v := range o.Verbs {
		switch v {
		case MoveTo:
			flush()
			start = m.Apply(o.Points[i])
			cur.Points = append(cur.Points, start)
			i++
		case LineTo:
			if len(cur.Points) == 0 {
				cur.Points = append(cur.Points, start)
			}
			cur.Points = append(cur.Points, m.Apply(o.Points[i]))
			i++
		case CubicTo:
			if len(cur.Points) == 0 {
				cur.Points = append(cur.Points, start)
			}
			c := Curve{cur.Points[len(cur.Points)-1], m.Apply(o.Points[i]), m.Apply(o.Points[i+1]), m.Apply(o.Points[i+2])}
			cur.Points = c.flatten(cur.Points, tolerance)
			i += 3
		case Close:
			cur.Closed = true
			flush()
		}
	}
	flush()
	return out
}

// Curve is a cubic Bézier curve.
type Curve [4]Point

// At is the point at parameter t.
func (c Curve) At(t float64) Point {
	s := 1 - t
	a, b, d, e := s*s*s, 3*s*s*t, 3*s*t*t, t*t*t
	return Point{a*c[0].X + b*c[1].X + d*c[2].X + e*c[3].X, a*c[0].Y + b*c[1].Y + d*c[2].Y + e*c[3].Y}
}

// Direction is the direction in which the curve runs at parameter t; its length says nothing.
func (c Curve) Direction(t float64) Point {
	s := 1 - t
	return c[1].Sub(c[0]).Scale(s * s).Add(c[2].Sub(c[1]).Scale(2 * s * t)).Add(c[3].Sub(c[2]).Scale(t * t))
}

// Even is the curve, with the parameter of one that is a straight line in proportion to its length.
func (c Curve) Even() Curve {
	if c.straight() {
		c[1], c[2] = c[0].Lerp(c[3], 1.0/3), c[0].Lerp(c[3], 2.0/3)
	}
	return c
}

// Split cuts the curve at parameter t.
func (c Curve) Split(t float64) (Curve, Curve) {
	ab, bc, cd := c[0].Lerp(c[1], t), c[1].Lerp(c[2], t), c[2].Lerp(c[3], t)
	abc, bcd := ab.Lerp(bc, t), bc.Lerp(cd, t)
	mid := abc.Lerp(bcd, t)
	return Curve{c[0], ab, abc, mid}, Curve{mid, bcd, cd, c[3]}
}

// maxSegments limits the lines of one curve, however large it is drawn.
const maxSegments = 512

func (c Curve) flatten(pts []Point, tolerance float64) []Point {
	// The second differences of the controls bound how far n equal steps stray: d*sqrt(3)/18... ≤ 3/4*d/n².
	d := math.Max(c[0].Sub(c[1].Scale(2)).Add(c[2]).Len(), c[1].Sub(c[2].Scale(2)).Add(c[3]).Len())
	n := int(math.Ceil(math.Sqrt(0.75 * d / tolerance)))
	if n < 1 || math.IsNaN(d) {
		n = 1
	}
	if n > maxSegments {
		n = maxSegments
	}
	pts = slices.Grow(pts, n)
	for k := 1; k < n; k++ {
		pts = append(pts, c.At(float64(k)/float64(n)))
	}
	return append(pts, c[3])
}
