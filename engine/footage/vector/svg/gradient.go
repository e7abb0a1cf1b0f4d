package svg

import (
	"slices"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

const (
	maxReferences = 16    // gradients or patterns that refer to each other
	maxStops      = 1_000 // of one gradient
)

// inheritance is a gradient or pattern followed by those of its kind to which it refers.
type inheritance []*element

func (w *walker) inheritance(e *element, kinds ...string) inheritance {
	var out inheritance
	for e != nil && len(out) < maxReferences && slices.Contains(kinds, e.name) {
		out = append(out, e)
		e = w.doc.reference(e.attr("href"))
	}
	return out
}

// attr is an attribute of the first element that has it.
func (h inheritance) attr(name string) string {
	for _, one := range h {
		if v := one.attr(name); v != "" {
			return v
		}
	}
	return ""
}

// gradient is the paint of a gradient for an outline.
func (w *walker) gradient(e *element, opacity float64, o geom.Outline) (vector.Paint, bool) {
	line := w.inheritance(e, "linearGradient", "radialGradient")
	stops := w.stops(line)
	switch len(stops) {
	case 0:
		return vector.Paint{}, false
	case 1:
		c := stops[0].Color
		c[3] *= opacity
		return vector.Paint{Color: c}, c[3] > 0
	}
	g := &vector.Gradient{Stops: stops, Opacity: opacity, Matrix: geom.Identity}
	of := w.port
	if line.attr("gradientUnits") != "userSpaceOnUse" {
		box := tight(o)
		if box.Empty() {
			return vector.Paint{}, false
		}
		g.Matrix = geom.Translate(box.MinX, box.MinY).Mul(geom.Scale(box.MaxX-box.MinX, box.MaxY-box.MinY))
		of = viewport{1, 1}
	}
	if v := line.attr("gradientTransform"); v != "" {
		m, ok := transform(v)
		if !ok {
			return vector.Paint{}, false
		}
		g.Matrix = g.Matrix.Mul(m)
	}
	switch line.attr("spreadMethod") {
	case "reflect":
		g.Spread = vector.Reflect
	case "repeat":
		g.Spread = vector.Repeat
	}
	at := func(name, otherwise string, whole float64) float64 {
		v := line.attr(name)
		if v == "" {
			v = otherwise
		}
		n, _ := length(v, whole, 16)
		return n
	}
	if e.name == "linearGradient" {
		g.Start = geom.Point{X: at("x1", "0%", of.w), Y: at("y1", "0%", of.h)}
		g.End = geom.Point{X: at("x2", "100%", of.w), Y: at("y2", "0%", of.h)}
		return vector.Paint{Gradient: g}, true
	}
	g.Radial = true
	g.End = geom.Point{X: at("cx", "50%", of.w), Y: at("cy", "50%", of.h)}
	g.EndRadius = at("r", "50%", of.diagonal())
	g.Start = g.End
	if line.attr("fx") != "" {
		g.Start.X = at("fx", "", of.w)
	}
	if line.attr("fy") != "" {
		g.Start.Y = at("fy", "", of.h)
	}
	g.StartRadius = max(0, at("fr", "0", of.diagonal()))
	if g.EndRadius <= 0 {
		c := stops[len(stops)-1].Color
		c[3] *= opacity
		return vector.Paint{Color: c}, true
	}
	if d := g.Start.Sub(g.End); g.StartRadius == 0 && d.Len() >= g.EndRadius { // a focus outside of the circle is moved into it
		g.Start = g.End.Add(d.Scale(0.999 * g.EndRadius / d.Len()))
	}
	return vector.Paint{Gradient: g}, true
}

// stops are those of the first gradient in line that has any.
func (w *walker) stops(line []*element) []vector.Stop {
	if len(line) == 0 {
		return nil
	}
	if known, ok := w.spent.stops[line[0]]; ok {
		return known
	}
	var out []vector.Stop
	defer func() { w.spent.stops[line[0]] = out }()
	for _, e := range line {
		last := 0.0
		for _, c := range e.children {
			if c.name != "stop" || len(out) == maxStops {
				continue
			}
			v := w.sheet.properties(c)
			last = max(last, share(v["offset"], 0))
			color, ok := colour(v["stop-color"])
			if !ok {
				color = [4]float64{3: 1}
				if v["stop-color"] == "currentColor" || v["stop-color"] == "currentcolor" {
					color = w.colorOf(c)
				}
			}
			color[3] *= share(v["stop-opacity"], 1)
			out = append(out, vector.Stop{Offset: last, Color: color})
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// colorOf is the property color of an element, which it may have from those around it.
func (w *walker) colorOf(e *element) [4]float64 {
	for ; e != nil; e = e.parent {
		if c, ok := colour(w.sheet.properties(e)["color"]); ok {
			return c
		}
	}
	return [4]float64{3: 1}
}

// tight is the box around the curves of an outline, without their control points.
func tight(o geom.Outline) geom.Rect {
	var pts []geom.Point
	all := o.Bounds()
	fine := max(all.MaxX-all.MinX, all.MaxY-all.MinY) / 2000
	for _, l := range o.Flatten(geom.Identity, max(fine, 1e-6)) {
		pts = append(pts, l.Points...)
	}
	return geom.Outline{Points: pts}.Bounds()
}
