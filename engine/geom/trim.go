package geom

// Trim keeps the part from start to end, as fractions of the outline's length, 0 ≤ start ≤ 1; an end beyond 1 continues
// at the outline's beginning. The contours are taken one after the other.
func (o Outline) Trim(start, end float64) Outline {
	pieces := o.measure()
	total := 0.0
	for _, p := range pieces {
		total += p.length
	}
	var out Outline
	if total == 0 || end <= start {
		return out
	}
	if end > 1 {
		head, tail := keep(pieces, start*total, total), keep(pieces, 0, min(end-1, start)*total)
		out.Append(head)
		out.Append(tail.continuing(head))
		return out
	}
	return keep(pieces, start*total, end*total)
}

// continuing is o without its first MoveTo if it starts where head ends.
func (o Outline) continuing(head Outline) Outline {
	if len(o.Points) > 0 && len(head.Points) > 0 && o.Points[0].Sub(head.Points[len(head.Points)-1]).Len() < 1e-6 {
		return Outline{Verbs: o.Verbs[1:], Points: o.Points[1:]}
	}
	return o
}

// Length is the length of all contours.
func (o Outline) Length() float64 {
	sum := 0.0
	for _, p := range o.measure() {
		sum += p.length
	}
	return sum
}

type piece struct {
	c       Curve
	line    bool
	contour int
	length  float64
}

// measure lists the curves and lines of the outline with their lengths.
func (o Outline) measure() []piece {
	out := make([]piece, 0, len(o.Verbs))
	var start, at Point
	contour, i := 0, 0
	line := func(to Point) {
		out = append(out, piece{c: Curve{at, at, to, to}, line: true, contour: contour, length: to.Sub(at).Len()})
		at = to
	}
	for _, v := range o.Verbs {
		switch v {
		case MoveTo:
			start, at = o.Points[i], o.Points[i]
			contour++
			i++
		case LineTo:
			line(o.Points[i])
			i++
		case CubicTo:
			c := Curve{at, o.Points[i], o.Points[i+1], o.Points[i+2]}
			out = append(out, piece{c: c, contour: contour, length: c.Length()})
			at = c[3]
			i += 3
		case Close:
			if at != start {
				line(start)
			}
		}
	}
	return out
}

// lengthSteps is the number of chords that approximate a curve when its length is measured.
const lengthSteps = 32

// Length is the length of the curve.
func (c Curve) Length() float64 {
	sum, prev := 0.0, c[0]
	for k := 1; k <= lengthSteps; k++ {
		p := c.At(float64(k) / lengthSteps)
		sum += p.Sub(prev).Len()
		prev = p
	}
	return sum
}

// parameter is the parameter of the point at a distance from the curve's start.
func (c Curve) parameter(distance float64) float64 {
	sum, prev := 0.0, c[0]
	for k := 1; k <= lengthSteps; k++ {
		p := c.At(float64(k) / lengthSteps)
		step := p.Sub(prev).Len()
		if sum+step >= distance && step > 0 {
			return (float64(k-1) + (distance-sum)/step) / lengthSteps
		}
		sum, prev = sum+step, p
	}
	return 1
}

func keep(pieces []piece, from, to float64) Outline {
	var out Outline
	at, contour := 0.0, -1
	for _, p := range pieces {
		lo, hi := max(0, from-at), min(p.length, to-at)
		at += p.length
		if hi-lo <= 1e-9*p.length {
			continue
		}
		c := p.c
		if p.line {
			d := c[3].Sub(c[0])
			c = Curve{c[0].Add(d.Scale(lo / p.length)), Point{}, Point{}, c[0].Add(d.Scale(hi / p.length))}
		} else {
			t0, t1 := c.parameter(lo), c.parameter(hi)
			if t1 < 1 {
				c, _ = c.Split(t1)
			}
			if t0 > 0 && t1 > 0 {
				_, c = c.Split(t0 / t1)
			}
		}
		if p.contour != contour || lo > 0 {
			out.Move(c[0].X, c[0].Y)
			contour = p.contour
		}
		if p.line {
			out.Line(c[3].X, c[3].Y)
		} else {
			out.Cubic(c[1].X, c[1].Y, c[2].X, c[2].Y, c[3].X, c[3].Y)
		}
	}
	return out
}
