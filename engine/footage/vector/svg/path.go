package svg

import (
	"math"

	"overcrank/engine/geom"
)

// tracer follows the commands of a path.
type tracer struct {
	scanner
	out            geom.Outline
	at, start      geom.Point
	control        geom.Point // of the curve before, for a smooth one
	cubic, quad    bool       // what kind of curve was before
	open, relative bool
	inner          map[int]bool // the points at which a part of an arc ends, and not the arc
}

// outline is the outline of path data. As browsers do, it ends with the last command that is whole.
func outline(d string) geom.Outline {
	o, _ := traced(d)
	return o
}

// traced is the outline of path data, and which of its points lie within arcs, by their numbers.
func traced(d string) (o geom.Outline, inner map[int]bool) {
	t := tracer{scanner: scanner{s: d}, inner: map[int]bool{}}
	command := byte(0)
	for {
		t.space()
		if t.i >= len(t.s) || len(t.out.Points) > maxPolygon {
			break
		}
		if c := t.s[t.i]; c|0x20 >= 'a' && c|0x20 <= 'z' {
			command = c
			t.i++
		} else if command == 0 || command|0x20 == 'z' {
			break
		}
		if len(t.out.Verbs) == 0 && command|0x20 != 'm' {
			break
		}
		t.relative = command >= 'a'
		if !t.step(command | 0x20) {
			break
		}
		switch command { // further points of a move are lines
		case 'm':
			command = 'l'
		case 'M':
			command = 'L'
		}
	}
	return t.out, t.inner
}

// step does one command; false when its numbers are not whole.
func (t *tracer) step(command byte) bool {
	cubic, quad := false, false
	switch command {
	case 'm':
		p, ok := t.point()
		if !ok {
			return false
		}
		t.at, t.start, t.open = p, p, true
		t.out.Move(p.X, p.Y)
	case 'z':
		if t.open {
			t.out.Close()
		}
		t.at, t.open = t.start, false
	case 'l', 'h', 'v':
		p, ok := t.to(command)
		if !ok {
			return false
		}
		t.begin()
		t.out.Line(p.X, p.Y)
		t.at = p
	case 'c', 's':
		cubic = true
		if !t.curve(command == 's') {
			return false
		}
	case 'q', 't':
		quad = true
		if !t.quadratic(command == 't') {
			return false
		}
	case 'a':
		if !t.arc() {
			return false
		}
	default:
		return false
	}
	t.cubic, t.quad = cubic, quad
	return true
}

// begin starts a contour where the one before was closed.
func (t *tracer) begin() {
	if !t.open {
		t.out.Move(t.start.X, t.start.Y)
		t.open = true
	}
}

func (t *tracer) point() (geom.Point, bool) {
	x, ok1 := t.number()
	y, ok2 := t.number()
	p := geom.Point{X: x, Y: y}
	if t.relative {
		p = p.Add(t.at)
	}
	return near(p), ok1 && ok2
}

// near keeps relative steps from leading ever further away.
func near(p geom.Point) geom.Point {
	return geom.Point{X: max(-far, min(far, p.X)), Y: max(-far, min(far, p.Y))}
}

// to is where a line goes.
func (t *tracer) to(command byte) (geom.Point, bool) {
	if command == 'l' {
		return t.point()
	}
	v, ok := t.number()
	p := t.at
	switch {
	case command == 'h' && t.relative:
		p.X += v
	case command == 'h':
		p.X = v
	case t.relative:
		p.Y += v
	default:
		p.Y = v
	}
	return near(p), ok
}

func (t *tracer) curve(smooth bool) bool {
	var a geom.Point
	ok := true
	if smooth {
		a = t.at
		if t.cubic {
			a = t.at.Add(t.at.Sub(t.control))
		}
	} else {
		a, ok = t.point()
	}
	b, ok2 := t.point()
	end, ok3 := t.point()
	if !ok || !ok2 || !ok3 {
		return false
	}
	t.begin()
	t.out.Cubic(a.X, a.Y, b.X, b.Y, end.X, end.Y)
	t.control, t.at = b, end
	return true
}

func (t *tracer) quadratic(smooth bool) bool {
	c, ok := t.at, true
	switch {
	case !smooth:
		c, ok = t.point()
	case t.quad:
		c = t.at.Add(t.at.Sub(t.control))
	}
	end, ok2 := t.point()
	if !ok || !ok2 {
		return false
	}
	t.begin()
	a, b := t.at.Lerp(c, 2.0/3), end.Lerp(c, 2.0/3)
	t.out.Cubic(a.X, a.Y, b.X, b.Y, end.X, end.Y)
	t.control, t.at = c, end
	return true
}

func (t *tracer) arc() bool {
	rx, ok1 := t.number()
	ry, ok2 := t.number()
	turn, ok3 := t.number()
	large, ok4 := t.flag()
	sweep, ok5 := t.flag()
	end, ok6 := t.point()
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 {
		return false
	}
	t.begin()
	from := len(t.out.Points)
	arc(&t.out, t.at, end, math.Abs(rx), math.Abs(ry), turn, large, sweep)
	for i := from + 2; i < len(t.out.Points)-1; i += 3 {
		t.inner[i] = true
	}
	t.at = end
	return true
}

// arc adds a part of an ellipse between two points, by the conversion from end points to a centre of the SVG specification (appendix B.2.4).
func arc(o *geom.Outline, from, to geom.Point, rx, ry, degrees float64, large, sweep bool) {
	if from == to {
		return
	}
	if rx == 0 || ry == 0 {
		o.Line(to.X, to.Y)
		return
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	half := from.Sub(to).Scale(0.5)
	x, y := cos*half.X+sin*half.Y, -sin*half.X+cos*half.Y
	if grow := x*x/(rx*rx) + y*y/(ry*ry); grow > 1 { // too small to reach
		rx, ry = rx*math.Sqrt(grow), ry*math.Sqrt(grow)
	}
	under := (rx*rx*ry*ry - rx*rx*y*y - ry*ry*x*x) / (rx*rx*y*y + ry*ry*x*x)
	k := math.Sqrt(max(0, under))
	if large == sweep {
		k = -k
	}
	cx, cy := k*rx*y/ry, -k*ry*x/rx
	first := math.Atan2((y-cy)/ry, (x-cx)/rx)
	span := math.Atan2((-y-cy)/ry, (-x-cx)/rx) - first
	if sweep && span < 0 {
		span += 2 * math.Pi
	} else if !sweep && span > 0 {
		span -= 2 * math.Pi
	}
	middle := from.Lerp(to, 0.5)
	m := geom.Matrix{A: cos * rx, B: sin * rx, C: -sin * ry, D: cos * ry, E: middle.X + cos*cx - sin*cy, F: middle.Y + sin*cx + cos*cy}
	quarters(o, m, first, span, to)
}

// quarters adds a part of the unit circle, mapped by m, in curves of a quarter at most.
func quarters(o *geom.Outline, m geom.Matrix, first, span float64, to geom.Point) {
	n := max(1, int(math.Ceil(math.Abs(span)/(math.Pi/2)-1e-9)))
	step := span / float64(n)
	k := 4.0 / 3 * math.Tan(step/4)
	for i := range n {
		s0, c0 := math.Sincos(first + step*float64(i))
		s1, c1 := math.Sincos(first + step*float64(i+1))
		a := m.Apply(geom.Point{X: c0 - k*s0, Y: s0 + k*c0})
		b := m.Apply(geom.Point{X: c1 + k*s1, Y: s1 - k*c1})
		end := m.Apply(geom.Point{X: c1, Y: s1})
		if i == n-1 {
			end = to
		}
		o.Cubic(a.X, a.Y, b.X, b.Y, end.X, end.Y)
	}
}
