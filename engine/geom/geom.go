// Package geom holds points, affine matrices and outlines in pixels.
package geom

// Point is a place or a vector.
type Point struct{ X, Y float64 }

// Matrix maps (x, y) to (A*x + C*y + E, B*x + D*y + F).
type Matrix struct{ A, B, C, D, E, F float64 }

// Identity maps every point to itself.
var Identity = Matrix{A: 1, D: 1}

// Apply maps p.
func (m Matrix) Apply(p Point) Point {
	return Point{m.A*p.X + m.C*p.Y + m.E, m.B*p.X + m.D*p.Y + m.F}
}

// Mul is the matrix that maps by n first and by m then.
func (m Matrix) Mul(n Matrix) Matrix {
	return Matrix{
		A: m.A*n.A + m.C*n.B, B: m.B*n.A + m.D*n.B,
		C: m.A*n.C + m.C*n.D, D: m.B*n.C + m.D*n.D,
		E: m.A*n.E + m.C*n.F + m.E, F: m.B*n.E + m.D*n.F + m.F,
	}
}

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
