// Package shape evaluates the contents of shape layers: outlines, what changes them, and what paints them.
//
// To add an operator, add a file with its constructor, and a line in table.go.
package shape

import (
	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Paint is one fill or stroke. Matrix maps its outline to pixels of the layer.
type Paint struct {
	Shape    raster.Shape
	Matrix   geom.Matrix
	Gradient *raster.Gradient // instead of the shape's colour; in the space of the outline
	// Blend is how it is laid over the paints below it; nil for Normal.
	Blend raster.Blend
	// Group are the paints, from the bottom, of a group that is laid over those below it as one; such a Paint has no Shape.
	Group []Paint
}

// Bounds is a box around the paint, with m applied after its own matrices.
func (p *Paint) Bounds(m geom.Matrix) geom.Rect {
	if p.Group == nil {
		return p.Shape.Bounds().Transform(m.Mul(p.Matrix))
	}
	var box geom.Rect
	for i := range p.Group {
		box = box.Union(p.Group[i].Bounds(m))
	}
	return box
}

// Contents are the compiled contents of a shape layer.
type Contents struct {
	root   *group
	fixed  []Paint // while nothing varies
	varies bool
	timed  bool
	lacks  []string
	nearly []string
}

// beyond is what is not drawn where operators come to their limits.
const beyond = "what shape operators make beyond their limits"

// Compile compiles the group ref.Prop, "ADBE Root Vectors Group", of a shape layer; it may be nil.
func Compile(ref eval.Ref) *Contents {
	c := &Contents{varies: eval.Varies(ref.Prop)}
	c.root = newGroup(params{ref: ref, lacks: &c.lacks, nearly: &c.nearly, timed: &c.timed})
	c.varies = c.varies || c.timed
	if !c.varies {
		m := moment{}
		if c.fixed = c.evaluate(&m); m.over {
			c.lacks = append(c.lacks, beyond)
		}
	}
	return c
}

// Lacks are the parts that are not drawn.
func (c *Contents) Lacks() []string { return c.lacks }

// Nearly are the parts that are drawn in After Effects' likeness.
func (c *Contents) Nearly() []string { return c.nearly }

// Timed tells whether they may look different in each frame while all values stay.
func (c *Contents) Timed() bool { return c.timed }

// Varies tells whether anything may change over time.
func (c *Contents) Varies() bool { return c.varies }

// Paints are the fills and strokes at composition time t, from the bottom, which must not be written to; and what is not drawn of them since an operator
// came to its limit, "" for nothing. Where nothing varies that is among the lacks.
func (c *Contents) Paints(e *eval.Evaluator, t float64) (paints []Paint, lacks string) {
	if !c.varies {
		return c.fixed, ""
	}
	m := moment{eval: e, t: t}
	if paints = c.evaluate(&m); m.over {
		lacks = beyond
	}
	return paints, lacks
}

func (c *Contents) evaluate(m *moment) []Paint {
	return finished(c.root.contents(m).paints, m)
}

// finished gives paints their outlines.
func finished(list []painted, m *moment) []Paint {
	out := make([]Paint, len(list))
	for i, p := range list {
		if p.group != nil {
			p.Group = finished(p.group, m)
		} else {
			p.Shape.Outline = join(p.paths)
			m.over = m.over || p.Shape.TooManyDashes()
		}
		out[i] = p.Paint
	}
	return out
}

// operator is an entry of a group: it adds outlines, changes those so far, or paints them.
type operator interface{ apply(c *contents, m *moment) }

// moment is when the contents are evaluated.
type moment struct {
	eval *eval.Evaluator
	t    float64
	over bool // whether less is made than the values say
}

// atMost is how many of n things are made.
func (m *moment) atMost(n, limit int) int {
	if n > limit {
		m.over = true
		return limit
	}
	return n
}

func (m *moment) number(n *eval.Number) float64 { return n.At(m.eval, m.t) }

func (m *moment) point(v *eval.Vector) geom.Point {
	n := v.At(m.eval, m.t)
	return geom.Point{X: n[0], Y: n[1]}
}

// path is an outline of a shape layer. Operators after it change it in place, also for the paints before them.
type path struct{ outline geom.Outline }

// placed is a path with the matrix that maps it to the space in which it is used.
type placed struct {
	*path
	m geom.Matrix
}

// painted is a Paint whose outline is made of paths at the end, as the operators left them, in the space of the paint.
type painted struct {
	Paint
	paths []placed
	group []painted // of a paint that is a group
}

// contents is the result of a group: paths for the operators after it, and paints, from the bottom.
type contents struct {
	paths  []placed
	paints []painted
}

func (c *contents) add(o geom.Outline) {
	c.paths = append(c.paths, placed{&path{o}, geom.Identity})
}

func (c *contents) transform(m geom.Matrix, opacity float64) {
	for i := range c.paths {
		c.paths[i].m = m.Mul(c.paths[i].m)
	}
	for i := range c.paints {
		c.paints[i].transform(m, opacity)
	}
}

func (p *painted) transform(m geom.Matrix, opacity float64) {
	for i := range p.group {
		p.group[i].transform(m, opacity)
	}
	p.Matrix = m.Mul(p.Matrix)
	p.Shape.Color[3] *= max(0, min(1, opacity))
	if p.Gradient != nil {
		p.Gradient = p.Gradient.Faded(opacity)
	}
}

// bend changes each contour of the paths so far, in the space in which they are used here.
func (c *contents) bend(change func(geom.Contour) geom.Contour) {
	c.reshape(func(path geom.Outline) geom.Outline {
		var out geom.Outline
		for _, contour := range path.Contours() {
			out.Add(change(contour))
		}
		return out
	})
}

// reshape changes each of the paths so far, in the space in which they are used here.
func (c *contents) reshape(change func(geom.Outline) geom.Outline) {
	for _, p := range c.paths {
		back, ok := p.m.Invert()
		if !ok {
			continue
		}
		p.outline = change(p.outline.Transform(p.m)).Transform(back)
	}
}

// steps is how many steps the outlines of paths have.
func steps(paths []placed) int {
	n := 0
	for _, p := range paths {
		n += len(p.outline.Verbs)
	}
	return n
}

// steps is how many those of the paths have, and of what paints paint.
func (c *contents) steps() int {
	n := steps(c.paths)
	for i := range c.paints {
		p := &c.paints[i]
		inner := contents{p.paths, p.group}
		n += inner.steps()
	}
	return n
}

// join joins paths into one outline.
func join(paths []placed) geom.Outline {
	var out geom.Outline
	for _, p := range paths {
		if p.m == geom.Identity {
			out.Append(p.outline)
		} else {
			out.Append(p.outline.Transform(p.m))
		}
	}
	return out
}

// params finds the properties of a group.
type params struct {
	ref   eval.Ref
	depth int
	// lacks and nearly collect what is not drawn and what is drawn in After Effects' likeness; timed is set by what moves by itself.
	lacks, nearly *[]string
	timed         *bool
}

func (p params) at(match string) eval.Ref {
	return eval.Ref{Comp: p.ref.Comp, Layer: p.ref.Layer, Prop: p.ref.Prop.Child(match)}
}

func (p params) child(match string) params {
	p.ref, p.depth = p.at(match), p.depth+1
	return p
}

func (p params) number(match string, def float64) eval.Number {
	return eval.NumberOf(p.at(match), def)
}

func (p params) vector(match string, x, y float64) eval.Vector {
	return eval.VectorOf(p.at(match), [4]float64{x, y})
}

func (p params) point(match string) eval.Vector { return p.vector(match, 0, 0) }

func (p params) lack(what string) { *p.lacks = append(*p.lacks, what) }

func (p params) detail(what string) { *p.nearly = append(*p.nearly, what) }

func (p params) name() string { return displayName(p.ref.Prop) }

func displayName(p *aep.Property) string {
	if p.Name != "" {
		return p.Name
	}
	return p.Match
}
