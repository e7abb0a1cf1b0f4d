package svg

import (
	"fmt"
	"strings"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

// maxPrimitives limits the primitives of a filter, and the pictures that one of them merges.
const maxPrimitives = 64

// filter gives a group the filter that a property names. A group whose filter is not drawn is shown without it, and what is lacking is noted.
func (w *walker) filter(ref string, g *vector.Group) error {
	if !strings.HasPrefix(ref, "url(") || strings.IndexByte(ref, ')') != len(ref)-1 {
		w.out.Lack("filters that are functions")
		return nil
	}
	of := w.doc.reference(ref)
	if of == nil || of.name != "filter" {
		return nil
	}
	line := w.inheritance(of, "filter")
	r := filterReader{w: w, line: line, box: w.boxOf(g), names: map[string]vector.Input{}}
	region, ok := r.region()
	if !ok { // of no size, so nothing is seen
		g.Nodes = nil
		return nil
	}
	r.out.Region = region
	for _, e := range content(line) {
		if err := w.spend(1 + len(e.attrs["values"])/stepSize); err != nil {
			return err
		}
		lack := r.primitive(e)
		if lack == "" && len(r.out.Primitives) > maxPrimitives {
			lack = "filters of so many parts"
		}
		if lack != "" {
			w.out.Lack(lack)
			return nil
		}
	}
	if len(r.out.Primitives) == 0 { // such a filter shows nothing
		g.Nodes = nil
		return nil
	}
	g.Filter = &r.out
	return nil
}

// content is the children of the first in line that has any.
func content(line inheritance) []*element {
	for _, one := range line {
		if len(one.children) > 0 {
			return one.children
		}
	}
	return nil
}

// filterReader makes primitives of the elements of a filter.
type filterReader struct {
	w     *walker
	line  inheritance
	box   geom.Rect // around what is filtered
	out   vector.Filter
	names map[string]vector.Input // of results
}

// place is a rectangle of attributes, in fractions of the box or in user space; what is not said is that of otherwise.
func (r *filterReader) place(attr func(name string) string, byBox bool, otherwise geom.Rect) geom.Rect {
	port, origin := r.w.port, geom.Point{}
	if byBox {
		port, origin = viewport{1, 1}, geom.Point{X: r.box.MinX, Y: r.box.MinY}
	}
	width, height := r.box.MaxX-r.box.MinX, r.box.MaxY-r.box.MinY
	at := func(name string, whole, side, otherwise float64) (float64, bool) {
		n, ok := length(attr(name), whole, r.w.style.fontSize)
		switch {
		case !ok:
			return otherwise, false
		case byBox:
			return n * side, true
		}
		return n, true
	}
	x, okX := at("x", port.w, width, otherwise.MinX)
	y, okY := at("y", port.h, height, otherwise.MinY)
	if okX {
		x += origin.X
	}
	if okY {
		y += origin.Y
	}
	wide, _ := at("width", port.w, width, otherwise.MaxX-otherwise.MinX)
	high, _ := at("height", port.h, height, otherwise.MaxY-otherwise.MinY)
	return geom.Rect{MinX: x, MinY: y, MaxX: x + wide, MaxY: y + high}
}

// region is where the filter shows anything, by default a tenth larger on each side than what it is for; false for none.
func (r *filterReader) region() (geom.Rect, bool) {
	byBox := r.line.attr("filterUnits") != "userSpaceOnUse"
	defaults := map[string]string{"x": "-10%", "y": "-10%", "width": "120%", "height": "120%"}
	out := r.place(func(name string) string {
		if v := r.line.attr(name); v != "" {
			return v
		}
		return defaults[name]
	}, byBox, geom.Rect{})
	return out, !out.Empty() && (!byBox || !r.box.Empty())
}

// byBox tells whether the numbers of primitives are fractions of the box.
func (r *filterReader) byBox() bool { return r.line.attr("primitiveUnits") == "objectBoundingBox" }

// unit is how long a unit of a primitive is.
func (r *filterReader) unit() geom.Point {
	if r.byBox() {
		return geom.Point{X: r.box.MaxX - r.box.MinX, Y: r.box.MaxY - r.box.MinY}
	}
	return geom.Point{X: 1, Y: 1}
}

// primitive adds what an element of the filter does; it tells what of it is not drawn.
func (r *filterReader) primitive(e *element) (lack string) {
	switch e.name {
	case "title", "desc", "metadata", "animate", "set", "script", "style":
		return ""
	}
	read, ok := primitives[e.name]
	if !ok {
		return fmt.Sprintf("filters with '%.40s'", e.name)
	}
	in, lack := r.inputs(e)
	if lack != "" {
		return lack
	}
	region := r.out.Region
	if len(in) > 0 {
		region = geom.Rect{}
		for _, from := range in {
			region = region.Union(r.regionOf(from))
		}
	}
	p := vector.Primitive{In: in, Region: r.place(e.attr, r.byBox(), region), Linear: r.w.linear(e)}
	if lack := read(r, e, p); lack != "" {
		return lack
	}
	if name := e.attr("result"); name != "" {
		r.names[name] = r.last()
	}
	return ""
}

// last is the result of the primitive that was added last, and what the filter is for before any was.
func (r *filterReader) last() vector.Input {
	if n := len(r.out.Primitives); n > 0 {
		return vector.Input(n - 1)
	}
	return vector.SourceGraphic
}

// add adds a primitive, and tells which result it has.
func (r *filterReader) add(p vector.Primitive, of vector.Operation, in ...vector.Input) vector.Input {
	p.Operation, p.In = of, in
	r.out.Primitives = append(r.out.Primitives, p)
	return r.last()
}

func (r *filterReader) regionOf(in vector.Input) geom.Rect {
	if in >= 0 {
		return r.out.Primitives[in].Region
	}
	return r.out.Region
}

// inputs are what a primitive takes.
func (r *filterReader) inputs(e *element) (in []vector.Input, lack string) {
	add := func(of *element, name string) {
		one, why := r.input(of.attr(name))
		if in = append(in, one); why != "" {
			lack = why
		}
	}
	switch e.name {
	case "feFlood":
	case "feMerge":
		for _, c := range e.children {
			if c.name == "feMergeNode" && len(in) <= maxPrimitives {
				add(c, "in")
			}
		}
		if len(in) > maxPrimitives {
			lack = "filters of so many parts"
		}
	case "feBlend", "feComposite":
		add(e, "in")
		add(e, "in2")
	default:
		add(e, "in")
	}
	return in, lack
}

// input is the input of a name; the result before where nobody has it.
func (r *filterReader) input(name string) (in vector.Input, lack string) {
	switch name {
	case "SourceGraphic":
		return vector.SourceGraphic, ""
	case "SourceAlpha":
		return vector.SourceAlpha, ""
	case "BackgroundImage", "BackgroundAlpha", "FillPaint", "StrokePaint":
		return 0, fmt.Sprintf("filters with '%.40s'", name)
	}
	if in, ok := r.names[name]; ok {
		return in, ""
	}
	return r.last(), ""
}

// linear tells whether a primitive reckons with light: it does unless it, or something around it, says otherwise.
func (w *walker) linear(e *element) bool {
	for ; e != nil; e = e.parent {
		switch strings.TrimSpace(w.sheet.properties(e)["color-interpolation-filters"]) {
		case "sRGB":
			return false
		case "linearRGB", "auto":
			return true
		}
	}
	return true
}
