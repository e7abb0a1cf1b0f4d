package animate

import (
	"math"
	"sort"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/shape"
)

// path is the mask that a text follows.
type path struct {
	mask                                         eval.Slot
	reversed, perpendicular, forced, first, last eval.Number
}

// newPath is nil for a text that follows none.
func newPath(p params) *path {
	number := eval.NumberOf(p.child("ADBE Text Path").ref, 0)
	mask := maskOf(p.ref.Layer, int(number.First()))
	if mask == nil {
		return nil
	}
	out := &path{
		mask: eval.SlotOf(p.of(mask.Child("ADBE Mask Shape")).ref), reversed: p.number("ADBE Text Reverse Path", 0),
		perpendicular: p.number("ADBE Text Perpendicular To Path", 1), forced: p.number("ADBE Text Force Align Path", 0),
		first: p.number("ADBE Text First Margin", 0), last: p.number("ADBE Text Last Margin", 0),
	}
	p.text.varies = p.text.varies || out.mask.Varies()
	return out
}

// maskOf is a layer's mask by its number from 1; nil for 0.
func maskOf(l *aep.Layer, number int) *aep.Property {
	if l == nil || number < 1 {
		return nil
	}
	group := l.Props.Child("ADBE Mask Parade")
	if group == nil {
		return nil
	}
	for _, m := range group.Children {
		if m.Mask == nil {
			continue
		}
		if number--; number == 0 {
			return m
		}
	}
	return nil
}

// route is a path at a time: its first contour as straight lines.
type route struct {
	points      []geom.Point
	lengths     []float64 // from the start to each point
	closed      bool
	turned      bool // characters stand on it instead of upright in the layer
	forced      bool
	first, last float64 // margins
}

// flatness is how far the lines of a route stray from its curves, in pixels: less than can be seen in the direction of a character.
const flatness = 0.005

// route is the path at a time; nil if there is none.
func (p *path) route(m *moment) *route {
	if p == nil {
		return nil
	}
	mask, _ := p.mask.At(m.eval, m.t).(*aep.Path)
	if mask == nil {
		return nil
	}
	contours := shape.OutlineOf(mask).Flatten(geom.Identity, flatness)
	if len(contours) == 0 || len(contours[0].Points) < 2 {
		return nil
	}
	r := &route{
		points: contours[0].Points, closed: contours[0].Closed, turned: m.number(&p.perpendicular) != 0, forced: m.number(&p.forced) != 0,
		first: m.number(&p.first), last: m.number(&p.last),
	}
	if r.closed {
		r.points = append(r.points, r.points[0])
	}
	if m.number(&p.reversed) != 0 {
		for i, j := 0, len(r.points)-1; i < j; i, j = i+1, j-1 {
			r.points[i], r.points[j] = r.points[j], r.points[i]
		}
	}
	if r.measure() <= 0 {
		return nil
	}
	return r
}

// measure drops points that are equal to the one before and returns the length.
func (r *route) measure() float64 {
	kept, length := r.points[:1], 0.0
	r.lengths = append(r.lengths[:0], 0)
	for _, p := range r.points[1:] {
		if step := p.Sub(kept[len(kept)-1]).Len(); step > 0 {
			length += step
			kept, r.lengths = append(kept, p), append(r.lengths, length)
		}
	}
	r.points = kept
	return length
}

func (r *route) length() float64 { return r.lengths[len(r.lengths)-1] }

// at is the point at a distance from the start and the direction there, of length 1. A closed route goes round, an open one straight on.
func (r *route) at(distance float64) (point, along geom.Point) {
	if total := r.length(); r.closed {
		if distance = math.Mod(distance, total); distance < 0 {
			distance += total
		}
	}
	i := sort.SearchFloat64s(r.lengths, distance)
	i = max(1, min(i, len(r.points)-1))
	a, b := r.points[i-1], r.points[i]
	step := r.lengths[i] - r.lengths[i-1]
	return a.Lerp(b, (distance-r.lengths[i-1])/step), b.Sub(a).Scale(1 / step)
}

// frame maps pixels around a point of the route, x along it, to pixels of the layer.
func (r *route) frame(distance float64) geom.Matrix {
	p, d := r.at(distance)
	if !r.turned {
		return geom.Translate(p.X, p.Y)
	}
	return geom.Matrix{A: d.X, B: d.Y, C: -d.Y, D: d.X, E: p.X, F: p.Y}
}

// spread is where each line begins on the route, and how far its glyphs are moved apart.
type spread struct{ start, gap float64 }

// spread lays a line along the route: from its first margin, to its last, or between them, as the paragraph is aligned; or, with force
// alignment, from one to the other.
func (r *route) spread(glyphs []glyph, align float64) spread {
	end := len(glyphs) - 1
	for end > 0 && glyphs[end].Space() {
		end--
	}
	left, width := glyphs[0].x, glyphs[end].x+glyphs[end].Advance-glyphs[0].x
	room := r.length() + r.last - r.first - width
	if r.forced && end > 0 {
		return spread{r.first - left, room / float64(end)}
	}
	return spread{r.first + room*align - left, 0}
}
