package geom

import "math"

// kappa is the distance of the control points of a quarter circle, as a fraction of the radius.
const kappa = 0.5522847498307936

// RectOutline is a rectangle around (cx, cy) with rounded corners. Like After Effects it starts at the top right corner
// and goes clockwise on screen.
func RectOutline(cx, cy, w, h, radius float64) Outline {
	r := math.Max(0, math.Min(radius, math.Min(math.Abs(w), math.Abs(h))/2))
	x0, y0, x1, y1 := cx-w/2, cy-h/2, cx+w/2, cy+h/2
	var o Outline
	if r == 0 {
		o.Move(x1, y0)
		o.Line(x1, y1)
		o.Line(x0, y1)
		o.Line(x0, y0)
		o.Close()
		return o
	}
	k := r * (1 - kappa)
	o.Move(x1, y0+r)
	o.Line(x1, y1-r)
	o.Cubic(x1, y1-k, x1-k, y1, x1-r, y1)
	o.Line(x0+r, y1)
	o.Cubic(x0+k, y1, x0, y1-k, x0, y1-r)
	o.Line(x0, y0+r)
	o.Cubic(x0, y0+k, x0+k, y0, x0+r, y0)
	o.Line(x1-r, y0)
	o.Cubic(x1-k, y0, x1, y0+k, x1, y0+r)
	o.Close()
	return o
}

// EllipseOutline is an ellipse around (cx, cy). It starts at the top and goes clockwise on screen.
func EllipseOutline(cx, cy, w, h float64) Outline {
	rx, ry := w/2, h/2
	kx, ky := rx*kappa, ry*kappa
	var o Outline
	o.Move(cx, cy-ry)
	o.Cubic(cx+kx, cy-ry, cx+rx, cy-ky, cx+rx, cy)
	o.Cubic(cx+rx, cy+ky, cx+kx, cy+ry, cx, cy+ry)
	o.Cubic(cx-kx, cy+ry, cx-rx, cy+ky, cx-rx, cy)
	o.Cubic(cx-rx, cy-ky, cx-kx, cy-ry, cx, cy-ry)
	o.Close()
	return o
}

// Star describes a star or, with Polygon, a regular polygon, which has only outer points. Roundness is in percent,
// Rotation in degrees.
type Star struct {
	Polygon                        bool
	Center                         Point
	Points                         float64
	Rotation                       float64
	InnerRadius, OuterRadius       float64
	InnerRoundness, OuterRoundness float64
}

// maxStarPoints limits what a project may ask for.
const maxStarPoints = 2000

// Outline starts at the first outer point, which is at the top, and goes clockwise on screen.
func (s Star) Outline() Outline {
	n := 3
	if s.Points > 3 {
		n = int(math.Round(math.Min(s.Points, maxStarPoints)))
	}
	corners := n
	if !s.Polygon {
		corners = 2 * n
	}
	step := 2 * math.Pi / float64(corners)
	start := s.Rotation*math.Pi/180 - math.Pi/2
	type corner struct{ p, tangent Point }
	cs := make([]corner, corners)
	for i := range cs {
		radius, round := s.OuterRadius, s.OuterRoundness
		if !s.Polygon && i%2 == 1 {
			radius, round = s.InnerRadius, s.InnerRoundness
		}
		sin, cos := math.Sincos(start + float64(i)*step)
		// The length of a tangent at 100 %, as a fraction of the arc between neighbours, measured in exported stars.
		share := 0.25
		if !s.Polygon {
			share = 0.47829
		}
		length := round / 100 * step * radius * share
		cs[i] = corner{Point{s.Center.X + radius*cos, s.Center.Y + radius*sin}, Point{-sin * length, cos * length}}
	}
	var o Outline
	o.Move(cs[0].p.X, cs[0].p.Y)
	for i := range cs {
		a, b := cs[i], cs[(i+1)%corners]
		c1, c2 := a.p.Add(a.tangent), b.p.Sub(b.tangent)
		if a.tangent == (Point{}) && b.tangent == (Point{}) {
			o.Line(b.p.X, b.p.Y)
		} else {
			o.Cubic(c1.X, c1.Y, c2.X, c2.Y, b.p.X, b.p.Y)
		}
	}
	o.Close()
	return o
}

// Reverse is the outline with every contour in the opposite direction.
func (o Outline) Reverse() Outline {
	var out Outline
	type seg struct {
		c     Curve
		curve bool
	}
	var segs []seg
	var start, at Point
	open := false
	flush := func(closed bool) {
		if !open {
			return
		}
		out.Move(at.X, at.Y)
		for i := len(segs) - 1; i >= 0; i-- {
			c := segs[i].c
			if segs[i].curve {
				out.Cubic(c[2].X, c[2].Y, c[1].X, c[1].Y, c[0].X, c[0].Y)
			} else {
				out.Line(c[0].X, c[0].Y)
			}
		}
		if closed {
			out.Close()
		}
		segs, open = segs[:0], false
	}
	i := 0
	for _, v := range o.Verbs {
		switch v {
		case MoveTo:
			flush(false)
			start, at, open = o.Points[i], o.Points[i], true
			i++
		case LineTo:
			segs = append(segs, seg{c: Curve{at, at, o.Points[i], o.Points[i]}})
			at, open = o.Points[i], true
			i++
		case CubicTo:
			segs = append(segs, seg{c: Curve{at, o.Points[i], o.Points[i+1], o.Points[i+2]}, curve: true})
			at, open = o.Points[i+2], true
			i += 3
		case Close:
			flush(true)
			at = start
		}
	}
	flush(false)
	return out
}
