package geom

import (
	"cmp"
	"math"
	"slices"
)

// grid is the distance of the places that Combine tells apart.
const grid = 1.0 / 4096

// maxCombined limits the lines that Combine takes, maxCuts the places at which they cut each other.
const (
	maxCombined = 3000
	maxCuts     = 6000
)

// Combine is the outline of the points for which inside tells so, given which of shapes contain them by the non-zero rule. Its contours are of
// straight lines, clockwise on screen around what is inside. It is false for shapes of too many lines, or that cut each other too often.
func Combine(shapes []Outline, inside func(in []bool) bool) (Outline, bool) {
	c := combination{inside: inside, in: make([]bool, len(shapes))}
	total := 0
	for _, s := range shapes {
		if len(s.Verbs) > maxCombined { // before its curves become lines
			return Outline{}, false
		}
		lines := s.lines()
		if total += len(lines); total > maxCombined {
			return Outline{}, false
		}
		c.shapes = append(c.shapes, lines)
	}
	border, ok := c.border()
	return chain(border), ok
}

// place is a point, in steps of the grid.
type place struct{ x, y int64 }

func placeOf(p Point) place {
	return place{int64(math.Round(p.X / grid)), int64(math.Round(p.Y / grid))}
}

func (p place) point() Point { return Point{float64(p.x) * grid, float64(p.y) * grid} }

// edge is a line between two places.
type edge struct{ a, b place }

// lines are the lines of an outline, with those that close its contours.
func (o Outline) lines() []edge {
	const tolerance, far = 0.02, 1 << 30
	var out []edge
	for _, l := range o.Flatten(Identity, tolerance) {
		for i, p := range l.Points {
			q := l.Points[(i+1)%len(l.Points)]
			if !(p.Len() < far && q.Len() < far) {
				continue
			}
			if e := (edge{placeOf(p), placeOf(q)}); e.a != e.b {
				out = append(out, e)
			}
		}
	}
	return out
}

// combination is the lines of several shapes.
type combination struct {
	shapes [][]edge
	inside func(in []bool) bool
	in     []bool
}

// border are the pieces of lines that have the inside on one side only, which is their right one on screen.
func (c *combination) border() ([]edge, bool) {
	all, ok := pieces(slices.Concat(c.shapes...))
	var out []edge
	known := make(map[edge]bool)
	for _, e := range all {
		back := edge{e.b, e.a}
		if known[e] || known[back] {
			continue
		}
		known[e] = true
		a, b := e.a.point(), e.b.point()
		away := b.Sub(a).outwards()
		away = away.Scale(4 * grid / away.Len())
		middle := a.Lerp(b, 0.5)
		switch left, right := c.contains(middle.Add(away)), c.contains(middle.Sub(away)); {
		case right && !left:
			out = append(out, e)
		case left && !right:
			out = append(out, back)
		}
	}
	return out, ok
}

func (c *combination) contains(p Point) bool {
	for i, lines := range c.shapes {
		c.in[i] = winding(lines, p) != 0
	}
	return c.inside(c.in)
}

// winding is how often lines go around a point.
func winding(lines []edge, p Point) int {
	n := 0
	for _, e := range lines {
		a, b := e.a.point(), e.b.point()
		up, down := a.Y <= p.Y && b.Y > p.Y, b.Y <= p.Y && a.Y > p.Y
		if !up && !down {
			continue
		}
		if right := a.X+(p.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X) > p.X; right && up {
			n++
		} else if right {
			n--
		}
	}
	return n
}

// pieces cuts lines where they cross or touch each other; false when that is too often.
func pieces(lines []edge) ([]edge, bool) {
	cuts, count := make([][]place, len(lines)), 0
	for i := range lines {
		for j := i + 1; j < len(lines); j++ {
			if !meeting(lines[i], lines[j]) {
				continue
			}
			at := lines[i].meets(lines[j])
			cuts[i], cuts[j] = append(cuts[i], at...), append(cuts[j], at...)
			if count += len(at); count > maxCuts {
				return nil, false
			}
		}
	}
	var out []edge
	for i, e := range lines {
		from := e.a.point()
		along := e.b.point().Sub(from)
		at := append(cuts[i], e.b)
		slices.SortFunc(at, func(p, q place) int {
			return cmp.Compare(p.point().Sub(from).dot(along), q.point().Sub(from).dot(along))
		})
		last := e.a
		for _, p := range at {
			if on := p.point().Sub(from).dot(along); p != last && on > 0 && on <= along.dot(along) {
				out = append(out, edge{last, p})
				last = p
			}
		}
	}
	return out, true
}

// meeting tells whether the boxes of two lines touch.
func meeting(e, f edge) bool {
	return min(e.a.x, e.b.x) <= max(f.a.x, f.b.x)+1 && min(f.a.x, f.b.x) <= max(e.a.x, e.b.x)+1 &&
		min(e.a.y, e.b.y) <= max(f.a.y, f.b.y)+1 && min(f.a.y, f.b.y) <= max(e.a.y, e.b.y)+1
}

// meets are the places at which two lines cross, and the ends of each that lie on the other one.
func (e edge) meets(f edge) []place {
	var out []place
	for _, end := range [2]place{f.a, f.b} {
		if e.touches(end) {
			out = append(out, end)
		}
	}
	for _, end := range [2]place{e.a, e.b} {
		if f.touches(end) {
			out = append(out, end)
		}
	}
	if len(out) > 0 {
		return out
	}
	a, c := e.a.point(), f.a.point()
	u, v := e.b.point().Sub(a), f.b.point().Sub(c)
	cross := u.X*v.Y - u.Y*v.X
	if cross == 0 {
		return nil
	}
	w := c.Sub(a)
	s, t := (w.X*v.Y-w.Y*v.X)/cross, (w.X*u.Y-w.Y*u.X)/cross
	if s <= 0 || s >= 1 || t <= 0 || t >= 1 {
		return nil
	}
	return []place{placeOf(a.Add(u.Scale(s)))}
}

// touches tells whether a place is on the line, by the grid.
func (e edge) touches(at place) bool {
	if at == e.a || at == e.b {
		return true
	}
	a, p := e.a.point(), at.point()
	u := e.b.point().Sub(a)
	t := p.Sub(a).dot(u) / u.dot(u)
	return t > 0 && t < 1 && p.Sub(a.Add(u.Scale(t))).Len() < grid
}

// chain joins lines to contours. Where several go on from a place it takes the one furthest to the right, so that contours that touch stay
// apart.
func chain(lines []edge) Outline {
	from := make(map[place][]place)
	for _, e := range lines {
		from[e.a] = append(from[e.a], e.b)
	}
	next := func(at place, ahead Point) (place, bool) {
		best, widest := -1, math.Inf(-1)
		for i, to := range from[at] {
			if turn := angle(ahead, to.point().Sub(at.point())); turn > widest {
				best, widest = i, turn
			}
		}
		if best < 0 {
			return place{}, false
		}
		to := from[at][best]
		from[at] = slices.Delete(from[at], best, best+1)
		return to, true
	}
	var out Outline
	for _, e := range lines {
		var around []place
		at, ahead := e.a, e.b.point().Sub(e.a.point())
		for {
			to, ok := next(at, ahead)
			if !ok {
				break
			}
			around = append(around, at)
			at, ahead = to, to.point().Sub(at.point())
			if at == e.a {
				break
			}
		}
		out.polygon(around)
	}
	return out
}

// between tells whether p lies on the line from a to b, as far as places are rounded.
func (p Point) between(a, b Point) bool {
	along, to := b.Sub(a), p.Sub(a)
	return to.dot(along) >= 0 && p.Sub(b).dot(along) <= 0 && math.Abs(along.X*to.Y-along.Y*to.X) <= grid*along.Len()
}

// polygon adds a contour of straight lines, without the places at which it goes straight on.
func (o *Outline) polygon(around []place) {
	n := len(around)
	var kept []Point
	for i, p := range around {
		at, before, after := p.point(), around[(i+n-1)%n].point(), around[(i+1)%n].point()
		if len(kept) > 0 { // or a slight curve would lose its points one by one
			before = kept[len(kept)-1]
		}
		if !at.between(before, after) {
			kept = append(kept, at)
		}
	}
	if len(kept) < 3 {
		return
	}
	o.Move(kept[0].X, kept[0].Y)
	for _, p := range kept[1:] {
		o.Line(p.X, p.Y)
	}
	o.Close()
}
