package svg

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/text"
)

// viewport is the size to which percentages refer.
type viewport struct{ w, h float64 }

// diagonal is what percentages refer to that are neither of a width nor of a height.
func (v viewport) diagonal() float64 { return math.Hypot(v.w, v.h) / math.Sqrt2 }

// walker makes nodes of elements. It is copied where those within an element see something else than those beside it.
type walker struct {
	doc   *document
	out   *vector.Builder
	fonts *text.Book // nil: no text is drawn
	sheet *sheet
	style style
	port  viewport
	using []*element // those that refer to what is walked
	depth int
	spent *spent
	// context is the style of the line that is marked with what is walked; nil outside of markers.
	context *style
}

// spent is what reading a document has cost, and what was made of it that others need too.
type spent struct {
	steps   int
	stops   map[*element][]vector.Stop
	tiles   map[*element]*vector.Group // what patterns show
	markers map[markerKey]*vector.Group
	beside  map[*vector.Group]bool // markers at their places: they do not count for the size of what they stand in
}

// maxSteps limits the work of reading a document. An element, or so many bytes of its attributes as a step has, cost a step each time that they are
// used.
const (
	maxSteps = 2_000_000
	stepSize = 64
)

// spend notes work.
func (w *walker) spend(steps int) error {
	if w.spent.steps += steps; w.spent.steps > maxSteps {
		return fmt.Errorf("%w: reading it takes too long, with the parts that are used several times", vector.ErrTooMuch)
	}
	return nil
}

func (w *walker) styleSheets(e *element) {
	if e.name == "style" {
		w.sheet.read(e.text)
	}
	for _, c := range e.children {
		w.styleSheets(c)
	}
}

// top walks the root.
func (w *walker) top(to *vector.Group, width, height float64) error {
	w.spent = &spent{
		stops: map[*element][]vector.Stop{}, tiles: map[*element]*vector.Group{}, markers: map[markerKey]*vector.Group{}, beside: map[*vector.Group]bool{},
	}
	v := w.sheet.properties(w.doc.root)
	in := *w
	in.style = in.style.within(v)
	to.Opacity = share(v["opacity"], 1)
	if f := strings.TrimSpace(v["filter"]); f != "" && f != "none" {
		w.out.Lack("filters of the whole picture")
	}
	if m, _, ok := viewBox(w.doc.root.attrs["viewBox"], w.doc.root.attr("preserveAspectRatio"), width, height); ok {
		to.Matrix = m
		box := numbers(w.doc.root.attrs["viewBox"], 4)
		in.port = viewport{box[2], box[3]}
	}
	return in.children(w.doc.root, to)
}

func (w *walker) children(e *element, to *vector.Group) error {
	for _, c := range e.children {
		if err := w.element(c, to); err != nil {
			return err
		}
	}
	return nil
}

// Elements that show nothing where they stand, and those whose absence is told.
var (
	silent = []string{
		"defs", "symbol", "clipPath", "mask", "linearGradient", "radialGradient", "pattern", "filter", "marker", "style", "title", "desc", "metadata",
		"script", "view", "cursor", "namedview", "font", "font-face",
	}
	lacking = map[string]string{
		"foreignObject": "foreign objects", "animate": "animation", "animateTransform": "animation", "animateMotion": "animation",
		"set": "animation", "video": "films", "audio": "sound", "iframe": "foreign objects", "canvas": "foreign objects",
	}
)

// element adds what an element shows.
func (w *walker) element(e *element, to *vector.Group) error {
	if err := w.spend(1 + (len(e.attrs["d"])+len(e.attrs["points"])+len(e.attrs["href"]))/stepSize); err != nil {
		return err
	}
	if slices.Contains(silent, e.name) {
		return nil
	}
	v := w.sheet.properties(e)
	if strings.TrimSpace(v["display"]) == "none" {
		return nil
	}
	if what := lacking[e.name]; what != "" {
		w.out.Lack(what)
		return nil
	}
	in := *w
	if in.depth++; in.depth > vector.MaxDepth {
		return fmt.Errorf("%w: elements lie within each other more than %d times", vector.ErrTooMuch, vector.MaxDepth)
	}
	in.style = in.style.within(v)
	m, ok := transform(v["transform"])
	if !ok {
		return nil
	}
	g := vector.NewGroup(m)
	switch e.name {
	case "g", "a":
		if err := in.children(e, g); err != nil {
			return err
		}
	case "switch":
		if err := in.choice(e, g); err != nil {
			return err
		}
	case "svg":
		if err := in.inner(e, g, v); err != nil {
			return err
		}
	case "use":
		if err := in.use(e, g, v); err != nil {
			return err
		}
	case "image":
		if err := in.image(e, g, v); err != nil {
			return err
		}
	case "text":
		if err := in.text(e, g); err != nil {
			return err
		}
	default:
		o, ok := in.shapeOf(e, v)
		if !ok {
			w.out.Lack(fmt.Sprintf("the element '%.40s'", e.name))
			return nil
		}
		if err := in.painted(o, o, g); err != nil {
			return err
		}
		if err := in.marked(e, o, v, g); err != nil {
			return err
		}
	}
	return in.finish(e, g, v, to)
}

// choice walks the first element of a switch that asks for nothing special.
func (w *walker) choice(e *element, to *vector.Group) error {
	for _, c := range e.children {
		if c.attr("requiredExtensions") != "" || c.attr("requiredFeatures") != "" && c.name == "foreignObject" {
			continue
		}
		return w.element(c, to)
	}
	return nil
}

// inner walks an svg element within another one.
func (w *walker) inner(e *element, to *vector.Group, v map[string]string) error {
	x, _ := length(v["x"], w.port.w, w.style.fontSize)
	y, _ := length(v["y"], w.port.h, w.style.fontSize)
	return w.framed(e, to, x, y, w.side(v, "width", w.port.w), w.side(v, "height", w.port.h))
}

// side is a width or height, all of the viewport where none is given.
func (w *walker) side(v map[string]string, name string, whole float64) float64 {
	if n, ok := length(v[name], whole, w.style.fontSize); ok {
		return n
	}
	return whole
}

// framed walks an element with a view box into a rectangle, outside of which nothing of it is seen.
func (w *walker) framed(e *element, to *vector.Group, x, y, width, height float64) error {
	if !(width > 0 && height > 0) {
		return nil
	}
	frame := vector.NewGroup(geom.Translate(x, y))
	in := *w
	in.port = viewport{width, height}
	content := vector.NewGroup(geom.Identity)
	if m, _, ok := viewBox(e.attrs["viewBox"], e.attr("preserveAspectRatio"), width, height); ok {
		content.Matrix = m
		box := numbers(e.attrs["viewBox"], 4)
		in.port = viewport{box[2], box[3]}
	}
	if overflow := strings.TrimSpace(w.sheet.properties(e)["overflow"]); overflow != "visible" && overflow != "auto" {
		frame.Clips = []vector.Clip{{{Outline: rounded(0, 0, width, height, 0, 0)}}}
	}
	if err := in.children(e, content); err != nil {
		return err
	}
	if err := w.out.Add(frame, content); err != nil {
		return err
	}
	return w.out.Add(to, frame)
}

// maxUses limits how deep elements that are used may use others.
const maxUses = 16

// use walks the element that another one refers to.
func (w *walker) use(e *element, to *vector.Group, v map[string]string) error {
	href := e.attr("href")
	of := w.doc.reference(href)
	if of == nil {
		if href != "" && !strings.HasPrefix(href, "#") {
			w.out.Lack("parts of other files")
		}
		return nil
	}
	if len(w.using) >= maxUses || slices.Contains(w.using, of) {
		w.out.Lack("parts that use themselves")
		return nil
	}
	for around := e.parent; around != nil; around = around.parent {
		if around == of {
			w.out.Lack("parts that use themselves")
			return nil
		}
	}
	in := *w
	in.using = append(slices.Clone(w.using), of)
	x, _ := length(v["x"], w.port.w, w.style.fontSize)
	y, _ := length(v["y"], w.port.h, w.style.fontSize)
	to.Matrix = to.Matrix.Mul(geom.Translate(x, y))
	if of.name != "symbol" && of.name != "svg" {
		return in.element(of, to)
	}
	props := w.sheet.properties(of)
	in.style = in.style.within(props)
	width, height := v["width"], v["height"]
	if width == "" {
		width = props["width"]
	}
	if height == "" {
		height = props["height"]
	}
	sized := map[string]string{"width": width, "height": height}
	return in.framed(of, to, 0, 0, in.side(sized, "width", w.port.w), in.side(sized, "height", w.port.h))
}

// painted adds the fill and the stroke of an outline, which is a part of that to whose size gradients refer.
func (w *walker) painted(o, whole geom.Outline, to *vector.Group) error {
	if w.style.hidden || len(o.Verbs) < 2 {
		return nil
	}
	var fill, stroke *vector.Shape
	p, ok, err := w.paint(w.style.fill, &w.style, w.style.fillOpacity, whole)
	if err != nil {
		return err
	}
	if ok {
		fill = &vector.Shape{Outline: o, Matrix: geom.Identity, EvenOdd: w.style.fillRule == "evenodd", Paint: p}
	}
	if pen := w.style.pen(w.port.diagonal()); pen != nil {
		p, ok, err := w.paint(w.style.stroke, &w.style, w.style.strokeOpacity, whole)
		if err != nil {
			return err
		}
		if ok {
			stroke = &vector.Shape{Outline: o, Matrix: geom.Identity, Stroke: pen, Paint: p}
			if w.style.unscaled {
				w.out.Lack("strokes that keep their width at any size")
			}
		}
	}
	if w.style.strokeFirst {
		fill, stroke = stroke, fill
	}
	for _, s := range []*vector.Shape{fill, stroke} {
		if s != nil {
			if err := w.out.Add(to, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// blends are the modes of mix-blend-mode by After Effects' names.
var blends = map[string]string{
	"multiply": "Multiply", "screen": "Screen", "overlay": "Overlay", "darken": "Darken", "lighten": "Lighten", "color-dodge": "Color Dodge",
	"color-burn": "Color Burn", "hard-light": "Hard Light", "soft-light": "Soft Light", "difference": "Difference", "exclusion": "Exclusion",
	"hue": "Hue", "saturation": "Saturation", "color": "Color", "luminosity": "Luminosity",
}

// finish adds the group of an element, with what its properties do to it as a whole.
func (w *walker) finish(e *element, g *vector.Group, v map[string]string, to *vector.Group) error {
	if len(g.Nodes) == 0 {
		return nil
	}
	g.Opacity = share(v["opacity"], 1)
	if mode := blends[strings.TrimSpace(v["mix-blend-mode"])]; mode != "" {
		g.Blend, _ = raster.Mode(mode)
	}
	g.Isolated = strings.TrimSpace(v["isolation"]) == "isolate"
	if f := strings.TrimSpace(v["filter"]); f != "" && f != "none" {
		if err := w.filter(f, g); err != nil {
			return err
		}
	}
	if ref := strings.TrimSpace(v["clip-path"]); ref != "" && ref != "none" {
		if err := w.clip(ref, e, g); err != nil {
			return err
		}
	}
	if ref := strings.TrimSpace(v["mask"]); ref != "" && ref != "none" {
		if err := w.mask(ref, e, g); err != nil {
			return err
		}
	}
	if one, ok := lone(g); ok { // one shape without a second one needs no surface to be transparent
		g = one
	}
	return w.out.Add(to, g)
}

// lone gives a shape that is alone in a group the group's transparency.
func lone(g *vector.Group) (*vector.Group, bool) {
	if len(g.Nodes) != 1 || g.Opacity >= 1 || g.Blend != nil || g.Mask != nil || g.Filter != nil {
		return nil, false
	}
	s, ok := g.Nodes[0].(*vector.Shape)
	if !ok {
		return nil, false
	}
	s.Paint.Fade(g.Opacity)
	g.Opacity = 1
	return g, true
}
