package geom

// Knot is a point of a contour through which it passes, with the control points of the curves before and after it; these are At where
// there are straight lines.
type Knot struct{ In, At, Out Point }

// Corner tells whether the contour has no curve on either side of the knot.
func (k Knot) Corner() bool { return k.In == k.At && k.Out == k.At }

// Contour is one of the contours of an outline, as its knots.
type Contour struct {
	Knots  []Knot
	Closed bool
}

// Segments is how many lines and curves the contour has, with the one that closes it.
func (c Contour) Segments() int {
	if c.Closed {
		return len(c.Knots)
	}
	return max(0, len(c.Knots)-1)
}

// Segment is the curve from knot i to the next one.
func (c Contour) Segment(i int) Curve {
	a, b := c.Knots[i], c.Knots[(i+1)%len(c.Knots)]
	return Curve{a.At, a.Out, b.In, b.At}
}

// Contours are the contours of the outline. One that ends with a line to its beginning does not have its first knot twice.
func (o Outline) Contours() []Contour {
	var out []Contour
	var cur Contour
	end := func(closed bool) {
		if n := len(cur.Knots); closed && n > 1 && cur.Knots[n-1].At == cur.Knots[0].At {
			cur.Knots[0].In = cur.Knots[n-1].In
			cur.Knots = cur.Knots[:n-1]
		}
		if cur.Closed = closed; len(cur.Knots) > 0 {
			out = append(out, cur)
		}
		cur = Contour{}
	}
	var start Point
	pts := o.Points
	to := func(out, in, at Point, curve bool) {
		if len(cur.Knots) == 0 { // after a Close, or without a MoveTo
			cur.Knots = append(cur.Knots, Knot{start, start, start})
		}
		if curve {
			cur.Knots[len(cur.Knots)-1].Out = out
		}
		cur.Knots = append(cur.Knots, Knot{in, at, at})
	}
	for _, v := range o.Verbs {
		switch v {
		case MoveTo:
			end(false)
			start = pts[0]
			cur.Knots = append(cur.Knots, Knot{start, start, start})
			pts = pts[1:]
		case LineTo:
			to(Point{}, pts[0], pts[0], false)
			pts = pts[1:]
		case CubicTo:
			to(pts[0], pts[1], pts[2], true)
			pts = pts[3:]
		case Close:
			end(true)
		}
	}
	end(false)
	return out
}

// Add adds a contour.
func (o *Outline) Add(c Contour) {
	n := len(c.Knots)
	if n == 0 {
		return
	}
	o.Move(c.Knots[0].At.X, c.Knots[0].At.Y)
	for i := range c.Segments() {
		s := c.Segment(i)
		switch straight := s[0] == s[1] && s[2] == s[3]; {
		case !straight:
			o.Cubic(s[1].X, s[1].Y, s[2].X, s[2].Y, s[3].X, s[3].Y)
		case i+1 < n: // the line that closes a contour is drawn by Close
			o.Line(s[3].X, s[3].Y)
		}
	}
	if c.Closed {
		o.Close()
	}
}
