package raster

import (
	"math"

	"overcrank/engine/geom"
)

// The caps of a StrokeStyle.
const (
	ButtCap = iota + 1
	RoundCap
	SquareCap
)

// The joins of a StrokeStyle.
const (
	MiterJoin = iota + 1
	RoundJoin
	BevelJoin
)

// Stroke adds the stroke of o. The stroke is made in o's own space and then mapped by m, so that an uneven scale makes a
// line of uneven width, as in After Effects.
func (r *Rasterizer) Stroke(o geom.Outline, style StrokeStyle, m geom.Matrix) {
	scale := m.MeanScale()
	if scale == 0 {
		return
	}
	for _, contour := range style.around(o, flatness/scale) {
		for i, pt := range contour {
			contour[i] = m.Apply(pt)
		}
		r.polygon(contour)
	}
}

// around are polygons around the stroke of o, within tolerance of it. All have the same direction, so that where they overlap is inside.
func (style StrokeStyle) around(o geom.Outline, tolerance float64) (out [][]geom.Point) {
	if style.Width <= 0 {
		return nil
	}
	lines := o.Flatten(geom.Identity, tolerance)
	if pattern := dashPattern(style.Dashes); pattern != nil && style.Profile == nil {
		lines = dash(lines, pattern, style.DashOffset)
	}
	p := pen{style: style, half: style.Width / 2}
	// A round corner is divided into chords within the tolerance of its arc.
	p.arc = 2 * math.Acos(math.Max(0, 1-math.Min(1, tolerance/p.half)))
	p.arc = math.Max(p.arc, 0.05)
	for _, l := range lines {
		outline := p.outline
		if style.Profile != nil {
			outline = p.tapered
		}
		out = append(out, outline(l)...)
	}
	return out
}

// pen makes the outline of a stroked polyline: its left side forwards and its right side backwards. All contours have
// the same direction, so that overlaps add up.
type pen struct {
	style StrokeStyle
	half  float64
	arc   float64 // radians of one chord
}

func (p *pen) outline(l geom.Polyline) [][]geom.Point {
	pts := distinct(l.Points, l.Closed)
	if len(pts) < 2 {
		return p.dot(l)
	}
	if l.Closed && len(pts) > 2 {
		forward := p.side(pts, true)
		backward := p.side(reversed(pts), true)
		return [][]geom.Point{forward, backward}
	}
	out := p.side(pts, false)
	out = p.cap(out, pts[len(pts)-2], pts[len(pts)-1])
	out = append(out, p.side(reversed(pts), false)...)
	out = p.cap(out, pts[1], pts[0])
	return [][]geom.Point{out}
}

// dot is the stroke of a line without length: nothing with a butt cap.
func (p *pen) dot(l geom.Polyline) [][]geom.Point {
	if len(l.Points) == 0 || p.style.Cap == ButtCap || p.style.Cap == 0 {
		return nil
	}
	c := l.Points[0]
	h := p.half
	if p.style.Cap == SquareCap {
		return [][]geom.Point{{{X: c.X + h, Y: c.Y - h}, {X: c.X + h, Y: c.Y + h}, {X: c.X - h, Y: c.Y + h}, {X: c.X - h, Y: c.Y - h}}}
	}
	return [][]geom.Point{p.turn(nil, c, geom.Point{X: h}, 2*math.Pi)}
}

// side is the line moved by half a width to the left of its direction.
func (p *pen) side(pts []geom.Point, closed bool) []geom.Point {
	n := len(pts)
	segments := n - 1
	if closed {
		segments = n
	}
	out := make([]geom.Point, 0, 3*segments+2) // but for round joins
	for i := range segments {
		a, b := pts[i], pts[(i+1)%n]
		offset := p.offset(a, b)
		out = append(out, a.Add(offset), b.Add(offset))
		if i+1 < segments || closed {
			out = p.join(out, a, b, pts[(i+2)%n])
		}
	}
	return out
}

func (p *pen) offset(a, b geom.Point) geom.Point {
	d := b.Sub(a)
	k := p.half / d.Len()
	return geom.Point{X: d.Y * k, Y: -d.X * k}
}

// gentle is the angle, in radians, below which the inner side of a corner need not pass through the corner's point.
const gentle = 0.35

// join connects the end of ab's side to the start of bc's.
func (p *pen) join(out []geom.Point, a, b, c geom.Point) []geom.Point {
	u, v := b.Sub(a), c.Sub(b)
	cross, dot := u.X*v.Y-u.Y*v.X, u.X*v.X+u.Y*v.Y
	turn := math.Atan2(cross, dot)
	if turn <= 0 { // the inner side: y points down, so a left turn has a negative cross product
		if turn < -gentle {
			out = append(out, b)
		}
		return out
	}
	from := p.offset(a, b)
	switch p.style.Join {
	case RoundJoin:
		return p.turn(out, b, from, turn)
	case BevelJoin:
		return out
	}
	cos := math.Cos(turn / 2)
	if cos <= 0 || 1/cos > p.style.miterLimit() {
		return out
	}
	mid := from.Add(p.offset(b, c))
	if length := mid.Len(); length > 0 {
		out = append(out, b.Add(mid.Scale(p.half/cos/length)))
	}
	return out
}

// turn follows an arc around c from offset by angle radians, without its end points.
func (p *pen) turn(out []geom.Point, c, offset geom.Point, angle float64) []geom.Point {
	n := int(math.Ceil(math.Abs(angle) / p.arc))
	for i := 1; i < n; i++ {
		s, co := math.Sincos(angle * float64(i) / float64(n))
		out = append(out, c.Add(geom.Point{X: offset.X*co - offset.Y*s, Y: offset.X*s + offset.Y*co}))
	}
	return out
}

// cap closes the end b of a line that comes from a.
func (p *pen) cap(out []geom.Point, a, b geom.Point) []geom.Point {
	offset := p.offset(a, b)
	switch p.style.Cap {
	case RoundCap:
		return p.turn(out, b, offset, math.Pi)
	case SquareCap:
		ahead := geom.Point{X: -offset.Y, Y: offset.X}
		return append(out, b.Add(offset).Add(ahead), b.Sub(offset).Add(ahead))
	}
	return out
}

// distinct drops points that repeat the one before.
func distinct(pts []geom.Point, closed bool) []geom.Point {
	const same = 1e-9
	out := pts[:min(1, len(pts))]
	for i := 1; i < len(pts); i++ {
		switch {
		case !(pts[i].Sub(out[len(out)-1]).Len() > same):
			out = out[:len(out):len(out)] // what follows is appended to a copy
		case len(out) == i:
			out = pts[:i+1]
		default:
			out = append(out, pts[i])
		}
	}
	for closed && len(out) > 1 && out[0].Sub(out[len(out)-1]).Len() <= same {
		out = out[:len(out)-1]
	}
	return out
}

func reversed(pts []geom.Point) []geom.Point {
	out := make([]geom.Point, len(pts))
	for i, p := range pts {
		out[len(pts)-1-i] = p
	}
	return out
}
