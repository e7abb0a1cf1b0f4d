package geom

// Seen are the corners of what is seen of r, a convex polygon in the plane on which it is seen; none when nothing is.
func (h *Homography) Seen(r Rect) []Point { return h.seen(r) }

// Nearness is how near a plane is seen, as a function of where it is seen: for a point (x, y) it is N[0]·x + N[1]·y + N[2], one divided by the w of
// the plane's Homography there. It is not positive where the plane is not seen.
type Nearness [3]float64

// Nearness is that of the plane; false when h shows it as a line or a point.
func (h *Homography) Nearness() (Nearness, bool) {
	back, ok := h.Invert()
	return Nearness{back[6], back[7], back[8]}, ok
}

// At is how near the plane is seen at p.
func (n *Nearness) At(p Point) float64 { return n[0]*p.X + n[1]*p.Y + n[2] }

// Overlap is the convex polygon that two convex polygons share, whichever way they turn; none when they share no area.
func Overlap(a, b []Point) []Point {
	turn := 0.0
	for i := range b {
		turn += cross(b[i], b[(i+1)%len(b)])
	}
	out := a
	for i := range b {
		if out = cutOff(out, b[i], b[(i+1)%len(b)], turn < 0); len(out) < 3 {
			return nil
		}
	}
	return out
}

func cross(a, b Point) float64 { return a.X*b.Y - a.Y*b.X }

// cutOff is the part of a convex polygon on one side of the line from p to q.
func cutOff(polygon []Point, p, q Point, other bool) []Point {
	side := func(v Point) float64 {
		d := cross(q.Sub(p), v.Sub(p))
		if other {
			return -d
		}
		return d
	}
	out := make([]Point, 0, len(polygon)+1)
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		da, db := side(a), side(b)
		if da >= 0 {
			out = append(out, a)
		}
		if da < 0 != (db < 0) {
			out = append(out, a.Lerp(b, da/(da-db)))
		}
	}
	return out
}
