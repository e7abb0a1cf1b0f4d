package svg

import (
	"math"
	"slices"
	"strings"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

// markers are what stands at the first point of a line, at those between, and at the last one.
type markers struct{ start, mid, end string }

// within are the markers of an element with properties, within one of markers m.
func (m markers) within(v map[string]string) markers {
	if all := strings.TrimSpace(v["marker"]); all != "" && all != "inherit" {
		m = markers{all, all, all}
	}
	for name, to := range map[string]*string{"marker-start": &m.start, "marker-mid": &m.mid, "marker-end": &m.end} {
		if one := strings.TrimSpace(v[name]); one != "" && one != "inherit" {
			*to = one
		}
	}
	return m
}

// markable are the elements whose points are marked.
var markable = []string{"path", "line", "polyline", "polygon"}

// marked adds the markers of an element, whose outline is o.
func (w *walker) marked(e *element, o geom.Outline, v map[string]string, to *vector.Group) error {
	of := [3]*element{}
	for i, ref := range []string{w.style.markers.start, w.style.markers.mid, w.style.markers.end} {
		if one := w.doc.reference(ref); one != nil && one.name == "marker" && strings.HasPrefix(ref, "url(") {
			of[i] = one
		}
	}
	if of == [3]*element{} || w.style.hidden || !slices.Contains(markable, e.name) {
		return nil
	}
	var inner map[int]bool
	if e.name == "path" {
		o, inner = traced(pathData(e, v))
	}
	points := vertices(o, inner)
	last := len(points) - 1
	for i := range points {
		var err error
		if i > 0 && i < last {
			err = w.mark(of[1], &points[i], false, to)
		}
		if i == 0 {
			err = w.mark(of[0], &points[i], true, to)
		}
		if i == last && err == nil {
			err = w.mark(of[2], &points[i], false, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mark adds a marker, if there is one, at a point.
func (w *walker) mark(of *element, at *vertex, first bool, to *vector.Group) error {
	if of == nil {
		return nil
	}
	if err := w.spend(1); err != nil {
		return err
	}
	seen, err := w.marker(of)
	if seen == nil || err != nil {
		return err
	}
	angle := 0.0
	switch orient := of.attr("orient"); {
	case orient == "auto-start-reverse" && first:
		angle = at.angle() + 180
	case strings.HasPrefix(orient, "auto"):
		angle = at.angle()
	default:
		if given := arguments(orient); len(given) > 0 {
			angle = given[0]
		}
	}
	k := 1.0
	if of.attr("markerUnits") != "userSpaceOnUse" {
		k, _ = length(w.style.width, w.port.diagonal(), w.style.fontSize)
	}
	if !(k > 0) {
		return nil
	}
	g := vector.NewGroup(geom.Translate(at.at.X, at.at.Y).Mul(geom.Rotate(angle)).Mul(geom.Scale(k, k)))
	g.Nodes = []vector.Node{seen}
	w.spent.beside[g] = true
	return w.out.Add(to, g)
}

// markerKey names what a marker shows: it may have colours of the line that it marks.
type markerKey struct {
	of           *element
	fill, stroke string
	color        [4]float64
}

// marker is what a marker shows, around the point that it marks; nil for nothing. It is walked once for lines of the same colours.
func (w *walker) marker(of *element) (*vector.Group, error) {
	if len(w.using) >= maxUses || slices.Contains(w.using, of) {
		w.out.Lack("parts that use themselves")
		return nil, nil
	}
	key := markerKey{of, w.style.fill, w.style.stroke, w.style.color}
	if known, ok := w.spent.markers[key]; ok {
		return known, nil
	}
	in := *w
	if in.depth++; in.depth > vector.MaxDepth {
		return nil, vector.ErrTooMuch
	}
	in.using = append(slices.Clone(w.using), of)
	line := w.style
	in.context = &line
	v := w.sheet.properties(of)
	in.style = initial().within(v)
	g, content := in.markerFrame(of, v)
	if g == nil {
		return nil, nil
	}
	if err := in.children(of, content); err != nil {
		return nil, err
	}
	if err := w.out.Add(g, content); err != nil {
		return nil, err
	}
	whole := vector.NewGroup(geom.Identity)
	if err := in.finish(of, g, v, whole); err != nil {
		return nil, err
	}
	w.spent.markers[key] = whole
	return whole, nil
}

// markerFrame is the group that cuts a marker, with its point of reference at the origin, and the one for its content; nil for a marker without a size.
func (w *walker) markerFrame(of *element, v map[string]string) (frame, content *vector.Group) {
	const side = 3 // of a marker that does not say it
	width, okW := length(v["markerWidth"], w.port.w, w.style.fontSize)
	height, okH := length(v["markerHeight"], w.port.h, w.style.fontSize)
	if !okW {
		width = side
	}
	if !okH {
		height = side
	}
	if !(width > 0 && height > 0) {
		return nil, nil
	}
	content = vector.NewGroup(geom.Identity)
	box := [4]float64{2: width, 3: height}
	if m, _, ok := viewBox(of.attrs["viewBox"], of.attr("preserveAspectRatio"), width, height); ok {
		content.Matrix = m
		box = [4]float64(numbers(of.attrs["viewBox"], 4))
	}
	ref := content.Matrix.Apply(geom.Point{X: refPoint(v["refX"], box[0], box[2]), Y: refPoint(v["refY"], box[1], box[3])})
	frame = vector.NewGroup(geom.Translate(-ref.X, -ref.Y))
	if overflow := strings.TrimSpace(v["overflow"]); overflow != "visible" && overflow != "auto" {
		frame.Clips = []vector.Clip{{{Outline: rounded(0, 0, width, height, 0, 0)}}}
	}
	return frame, content
}

// refPoint is refX or refY, where a side of the marker begins at a place and has a length.
func refPoint(v string, from, whole float64) float64 {
	switch strings.TrimSpace(v) {
	case "left", "top":
		return from
	case "center":
		return from + whole/2
	case "right", "bottom":
		return from + whole
	}
	n, _ := length(v, whole, 16)
	return n
}

// vertex is a point of a line that its commands name, and the directions in which the line comes and goes, none where it does not.
type vertex struct{ at, in, out geom.Point }

// angle is the direction of the line at the point, in degrees: between those before and after it.
func (v *vertex) angle() float64 {
	degrees := func(d geom.Point) float64 { return math.Atan2(d.Y, d.X) * 180 / math.Pi }
	switch none := (geom.Point{}); {
	case v.in == none:
		return degrees(v.out)
	case v.out == none:
		return degrees(v.in)
	}
	in, out := degrees(v.in), degrees(v.out)
	if math.Abs(in-out) > 180 { // the other way around is shorter
		in += 360
	}
	return (in + out) / 2
}

// vertices are the points of an outline where its commands end. Those of inner lie within arcs, by their numbers.
func vertices(o geom.Outline, inner map[int]bool) []vertex {
	var out []vertex
	var at, last geom.Point // where the line is, and its direction there
	first, i, named := 0, 0, true
	to := func(leave, arrive, end geom.Point, n int) {
		if named {
			out[len(out)-1].out = leave
		}
		at, last, named = end, arrive, !inner[n]
		if named {
			out = append(out, vertex{at: end, in: arrive})
		}
	}
	for _, v := range o.Verbs {
		switch v {
		case geom.MoveTo:
			at, last, first, named = o.Points[i], geom.Point{}, len(out), true
			out = append(out, vertex{at: at})
			i++
		case geom.LineTo:
			d := o.Points[i].Sub(at)
			to(d, d, o.Points[i], i)
			i++
		case geom.CubicTo:
			leave, arrive := directions(at, o.Points[i], o.Points[i+1], o.Points[i+2])
			to(leave, arrive, o.Points[i+2], i+2)
			i += 3
		case geom.Close:
			begin := out[first]
			d := begin.at.Sub(at)
			if d == (geom.Point{}) {
				d = last
			}
			to(d, d, begin.at, -1)
			out[first].in, out[len(out)-1].out = d, out[first].out
		}
	}
	return out
}

// directions are those in which a curve leaves its beginning and arrives at its end, from or to the next point that is another one.
func directions(a, b, c, d geom.Point) (leave, arrive geom.Point) {
	for _, p := range []geom.Point{b, c, d} {
		if leave = p.Sub(a); leave != (geom.Point{}) {
			break
		}
	}
	for _, p := range []geom.Point{c, b, a} {
		if arrive = d.Sub(p); arrive != (geom.Point{}) {
			break
		}
	}
	return leave, arrive
}
