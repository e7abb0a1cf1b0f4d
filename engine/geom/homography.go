package geom

import "math"

// Homography maps the plane as it is seen in perspective: with h its nine numbers by rows, (x, y) comes to (X/w, Y/w), where
// (X, Y, w) = h (x, y, 1). What has no positive w lies behind the viewer.
type Homography [9]float64

// near is the least w that is seen. In front of it pictures would become larger than anything.
const near = 1e-3

// Perspective is m as a Homography.
func Perspective(m Matrix) Homography { return Homography{m.A, m.C, m.E, m.B, m.D, m.F, 0, 0, 1} }

// Apply maps p; w is at most 0 when it lies behind the viewer, and q means nothing then.
func (h *Homography) Apply(p Point) (q Point, w float64) {
	w = h[6]*p.X + h[7]*p.Y + h[8]
	return Point{(h[0]*p.X + h[1]*p.Y + h[2]) / w, (h[3]*p.X + h[4]*p.Y + h[5]) / w}, w
}

// Mul is h applied after g.
func (h Homography) Mul(g Homography) Homography {
	var out Homography
	for r := range 3 {
		for c := range 3 {
			out[3*r+c] = h[3*r]*g[c] + h[3*r+1]*g[3+c] + h[3*r+2]*g[6+c]
		}
	}
	return out
}

// Invert is the inverse of h; false when h shows the plane as a line or a point.
func (h *Homography) Invert() (Homography, bool) {
	a, b, c := h[4]*h[8]-h[5]*h[7], h[5]*h[6]-h[3]*h[8], h[3]*h[7]-h[4]*h[6]
	det := h[0]*a + h[1]*b + h[2]*c
	if math.Abs(det) < 1e-15 || math.IsNaN(det) || math.IsInf(det, 0) {
		return Homography{}, false
	}
	return Homography{
		a / det, (h[2]*h[7] - h[1]*h[8]) / det, (h[1]*h[5] - h[2]*h[4]) / det,
		b / det, (h[0]*h[8] - h[2]*h[6]) / det, (h[2]*h[3] - h[0]*h[5]) / det,
		c / det, (h[1]*h[6] - h[0]*h[7]) / det, (h[0]*h[4] - h[1]*h[3]) / det,
	}, true
}

// Finite tells whether every number of h is finite.
func (h *Homography) Finite() bool {
	sum := 0.0
	for _, v := range h {
		sum += v
	}
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}

// Affine is h as a Matrix, if the plane is parallel to that on which it is seen, so that within r, a box of it, no perspective is visible.
func (h *Homography) Affine(r Rect) (Matrix, bool) {
	reach := max(math.Abs(r.MinX), math.Abs(r.MaxX), math.Abs(r.MinY), math.Abs(r.MaxY), 1)
	if !(h[8] > near) || (math.Abs(h[6])+math.Abs(h[7]))*reach > 1e-7*h[8] {
		return Matrix{}, false
	}
	return Matrix{h[0] / h[8], h[3] / h[8], h[1] / h[8], h[4] / h[8], h[2] / h[8], h[5] / h[8]}, true
}

// At is the Matrix that is closest to h about p; false when p is not seen.
func (h *Homography) At(p Point) (Matrix, bool) {
	q, w := h.Apply(p)
	if !(w > near) {
		return Matrix{}, false
	}
	m := Matrix{A: (h[0] - h[6]*q.X) / w, B: (h[3] - h[6]*q.Y) / w, C: (h[1] - h[7]*q.X) / w, D: (h[4] - h[7]*q.Y) / w}
	m.E, m.F = q.X-m.A*p.X-m.C*p.Y, q.Y-m.B*p.X-m.D*p.Y
	return m, m.Finite()
}

// Box is the box around what is seen of r; false when nothing is.
func (h *Homography) Box(r Rect) (Rect, bool) {
	seen := h.seen(r)
	if len(seen) == 0 {
		return Rect{}, false
	}
	return bounds(seen), true
}

// Magnifies is the largest factor by which lengths within r grow where it is seen; 0 when it is not.
func (h *Homography) Magnifies(r Rect) float64 {
	most := 0.0
	for _, p := range h.visible(r) {
		if m, ok := h.At(p); ok {
			x, y := m.AxisScale()
			most = max(most, x, y)
		}
	}
	return most
}

// seen are the corners of what is seen of r, in the plane on which it is seen.
func (h *Homography) seen(r Rect) []Point {
	out := h.visible(r)
	for i, p := range out {
		out[i], _ = h.Apply(p)
	}
	return out
}

// visible are the corners of the part of r that lies in front of the viewer.
func (h *Homography) visible(r Rect) []Point {
	return h.Cut([]Point{{r.MinX, r.MinY}, {r.MaxX, r.MinY}, {r.MaxX, r.MaxY}, {r.MinX, r.MaxY}})
}

// Cut is the part of a polygon that lies in front of the viewer: cut off where w is near.
func (h *Homography) Cut(polygon []Point) []Point {
	const before = 2 * near
	depth := func(p Point) float64 { return h[6]*p.X + h[7]*p.Y + h[8] - before }
	var out []Point
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		dp, dq := depth(p), depth(q)
		if dp >= 0 {
			out = append(out, p)
		}
		if dp < 0 != (dq < 0) {
			out = append(out, p.Lerp(q, dp/(dp-dq)))
		}
	}
	return out
}
