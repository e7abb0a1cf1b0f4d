package effect

import (
	"math"

	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// projection is a mapping of the plane that keeps lines straight, as a matrix of homogeneous coordinates, row by row.
type projection [9]float64

// squareTo maps the unit square to a quadrilateral, given in the order of the corners (0,0), (1,0), (1,1), (0,1). Heckbert: Fundamentals of
// Texture Mapping and Image Warping, 1989, section 2.2.3.
func squareTo(q [4]geom.Point) projection {
	d1, d2 := q[1].Sub(q[2]), q[3].Sub(q[2])
	s := q[0].Sub(q[1]).Add(q[2]).Sub(q[3])
	det := d1.X*d2.Y - d2.X*d1.Y
	g, h := (s.X*d2.Y-d2.X*s.Y)/det, (d1.X*s.Y-s.X*d1.Y)/det
	return projection{
		q[1].X - q[0].X + g*q[1].X, q[3].X - q[0].X + h*q[3].X, q[0].X,
		q[1].Y - q[0].Y + g*q[1].Y, q[3].Y - q[0].Y + h*q[3].Y, q[0].Y,
		g, h, 1,
	}
}

// inverse is the inverse of m, up to a factor, which changes nothing but the sign of what apply divides by.
func (m *projection) inverse() projection {
	return projection{
		m[4]*m[8] - m[5]*m[7], m[2]*m[7] - m[1]*m[8], m[1]*m[5] - m[2]*m[4],
		m[5]*m[6] - m[3]*m[8], m[0]*m[8] - m[2]*m[6], m[2]*m[3] - m[0]*m[5],
		m[3]*m[7] - m[4]*m[6], m[1]*m[6] - m[0]*m[7], m[0]*m[4] - m[1]*m[3],
	}
}

// apply maps p; w is what it divides by, which has another sign beyond the horizon.
func (m *projection) apply(p geom.Point) (q geom.Point, w float64) {
	w = m[6]*p.X + m[7]*p.Y + m[8]
	return geom.Point{X: (m[0]*p.X + m[1]*p.Y + m[2]) / w, Y: (m[3]*p.X + m[4]*p.Y + m[5]) / w}, w
}

// cornerPin draws the layer in perspective between four points.
type cornerPin struct{ corners [4]eval.Vector } // upper left, upper right, lower left, lower right

func newCornerPin(p Params) Effect {
	return &cornerPin{[4]eval.Vector{p.Point("0001"), p.Point("0002"), p.Point("0003"), p.Point("0004")}}
}

// newPowerPin is CC Power Pin with its defaults, which is a corner pin.
func newPowerPin(p Params) Effect {
	for number, usual := range map[string]float64{"0006": 1, "0007": 0, "0009": 0, "0010": 0, "0011": 0, "0012": 0} {
		p.Unless(number, usual, "the perspective, the unstretching or the expansion")
	}
	return &cornerPin{[4]eval.Vector{p.Point("0002"), p.Point("0003"), p.Point("0004"), p.Point("0005")}}
}

// quad are the corners around the quadrilateral.
func (e *cornerPin) quad(f *Frame) [4]geom.Point {
	return [4]geom.Point{
		f.PointOr(&e.corners[0], 0, 0), f.PointOr(&e.corners[1], 1, 0), f.PointOr(&e.corners[3], 1, 1), f.PointOr(&e.corners[2], 0, 1),
	}
}

// Bounds implements Moving.
func (e *cornerPin) Bounds(f *Frame, _ geom.Rect) geom.Rect {
	box := geom.Rect{MinX: math.Inf(1), MinY: math.Inf(1), MaxX: math.Inf(-1), MaxY: math.Inf(-1)}
	for _, p := range e.quad(f) {
		p = f.Matrix.Apply(p)
		box = geom.Rect{MinX: min(box.MinX, p.X), MinY: min(box.MinY, p.Y), MaxX: max(box.MaxX, p.X), MaxY: max(box.MaxY, p.Y)}
	}
	return box.Grow(1)
}

func (e *cornerPin) Draw(f *Frame, img *raster.Image) error {
	to := squareTo(e.quad(f))
	back := to.inverse()
	// Within the quadrilateral the divisor has the sign that it has at its middle.
	middle, _ := to.apply(geom.Point{X: 0.5, Y: 0.5})
	_, sign := back.apply(middle)
	warp(f, img, edgeNothing, func(p geom.Point) (geom.Point, bool) {
		q, w := back.apply(p)
		return geom.Point{X: q.X * f.Size.X, Y: q.Y * f.Size.Y}, w*sign > 0
	})
	return nil
}
