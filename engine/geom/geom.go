// Package geom holds points, affine matrices and outlines in pixels.
package geom

import "math"

// Point is a position or a vector.
type Point struct{ X, Y float64 }

// Add is p moved by q.
func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }

// Sub is the vector from q to p.
func (p Point) Sub(q Point) Point { return Point{p.X - q.X, p.Y - q.Y} }

// Scale is p times k.
func (p Point) Scale(k float64) Point { return Point{p.X * k, p.Y * k} }

// Len is the length of the vector p.
func (p Point) Len() float64 { return math.Hypot(p.X, p.Y) }

// Lerp is the point at the fraction k of the way from p to q.
func (p Point) Lerp(q Point, k float64) Point { return Point{p.X + (q.X-p.X)*k, p.Y + (q.Y-p.Y)*k} }

// Matrix maps (x, y) to (A*x + C*y + E, B*x + D*y + F).
type Matrix struct{ A, B, C, D, E, F float64 }

// Identity maps every point to itself.
var Identity = Matrix{A: 1, D: 1}

// Translate moves by (x, y).
func Translate(x, y float64) Matrix { return Matrix{A: 1, D: 1, E: x, F: y} }

// Scale stretches by x and y about the origin.
func Scale(x, y float64) Matrix { return Matrix{A: x, D: y} }

// Rotate turns by degrees, clockwise on a screen whose y points down.
func Rotate(degrees float64) Matrix {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return Matrix{A: c, B: s, C: -s, D: c}
}

// Skew skews by degrees along the axis that is rotated by axis degrees, as the Skew of a shape group does.
func Skew(degrees, axis float64) Matrix {
	slant := Matrix{A: 1, C: math.Tan(-degrees * math.Pi / 180), D: 1}
	return Rotate(axis).Mul(slant).Mul(Rotate(-axis))
}

// Apply maps p.
func (m Matrix) Apply(p Point) Point {
	return Point{m.A*p.X + m.C*p.Y + m.E, m.B*p.X + m.D*p.Y + m.F}
}

// Mul is m applied after n.
func (m Matrix) Mul(n Matrix) Matrix {
	return Matrix{
		A: m.A*n.A + m.C*n.B, B: m.B*n.A + m.D*n.B,
		C: m.A*n.C + m.C*n.D, D: m.B*n.C + m.D*n.D,
		E: m.A*n.E + m.C*n.F + m.E, F: m.B*n.E + m.D*n.F + m.F,
	}
}

// Det is the determinant: the factor by which areas grow, negative when m mirrors.
func (m Matrix) Det() float64 { return m.A*m.D - m.B*m.C }

// Invert is the inverse of m; false when m flattens the plane to a line or a point.
func (m Matrix) Invert() (Matrix, bool) {
	det := m.Det()
	if math.Abs(det) < 1e-12 || math.IsNaN(det) || math.IsInf(det, 0) {
		return Matrix{}, false
	}
	return Matrix{
		A: m.D / det, B: -m.B / det,
		C: -m.C / det, D: m.A / det,
		E: (m.C*m.F - m.D*m.E) / det, F: (m.B*m.E - m.A*m.F) / det,
	}, true
}

// MeanScale is the factor by which lengths grow on average.
func (m Matrix) MeanScale() float64 { return math.Sqrt(math.Abs(m.Det())) }

// AxisScale is how much m stretches along x and along y.
func (m Matrix) AxisScale() (x, y float64) { return math.Hypot(m.A, m.B), math.Hypot(m.C, m.D) }

// Finite tells whether every number of m is finite.
func (m Matrix) Finite() bool {
	sum := m.A + m.B + m.C + m.D + m.E + m.F
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// Rect is an axis-aligned box; it is empty when a Max is not above its Min.
type Rect struct{ MinX, MinY, MaxX, MaxY float64 }

// Empty tells whether r contains nothing.
func (r Rect) Empty() bool { return !(r.MaxX > r.MinX && r.MaxY > r.MinY) }

// Union is the smallest box around both.
func (r Rect) Union(s Rect) Rect {
	if r.Empty() {
		return s
	}
	if s.Empty() {
		return r
	}
	return Rect{math.Min(r.MinX, s.MinX), math.Min(r.MinY, s.MinY), math.Max(r.MaxX, s.MaxX), math.Max(r.MaxY, s.MaxY)}
}

// Grow is r widened by d on every side.
func (r Rect) Grow(d float64) Rect { return Rect{r.MinX - d, r.MinY - d, r.MaxX + d, r.MaxY + d} }

// Transform is the box around r mapped by m.
func (r Rect) Transform(m Matrix) Rect {
	return bounds([]Point{
		m.Apply(Point{r.MinX, r.MinY}), m.Apply(Point{r.MaxX, r.MinY}),
		m.Apply(Point{r.MaxX, r.MaxY}), m.Apply(Point{r.MinX, r.MaxY}),
	})
}

func bounds(pts []Point) Rect {
	if len(pts) == 0 {
		return Rect{}
	}
	r := Rect{pts[0].X, pts[0].Y, pts[0].X, pts[0].Y}
	for _, p := range pts[1:] {
		r.MinX, r.MaxX = math.Min(r.MinX, p.X), math.Max(r.MaxX, p.X)
		r.MinY, r.MaxY = math.Min(r.MinY, p.Y), math.Max(r.MaxY, p.Y)
	}
	return r
}
