package render

import (
	"math"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

var shapeKind = kind{
	is: func(_ *aep.Project, l *aep.Layer) bool { return l.Kind == aep.LayerShape },
	prepare: func(w *worker, v view) (*drawing, error) {
		root := v.layer.Props.Child("ADBE Root Vectors Group")
		b := shapeBuilder{w: w, v: v}
		paints := b.group(root).paints
		if len(paints) == 0 {
			return nil, nil
		}
		var box geom.Rect
		for i := range paints {
			paints[i].join()
		}
		for i := range paints {
			box = box.Union(paints[i].shape.Bounds().Transform(v.m.Mul(paints[i].m)))
		}
		d := &drawing{box: box, still: true, state: paintState(paints, eval.Varies(root)), blends: len(paints) == 1 && paints[0].gradient == nil}
		d.draw = func(dst *raster.Image, opacity float64, blend raster.Blend) error {
			if d.blends {
				w.paintOne(dst, paints[0].shape, v.m.Mul(paints[0].m), opacity, blend, v.layer.Blend)
				return nil
			}
			for i := range paints {
				w.paintShape(dst, &paints[i], v.m)
			}
			return nil
		}
		return d, nil
	},
}

// paint is one fill or stroke of a shape layer; m maps its outline to pixels of the layer.
type paint struct {
	shape    raster.Shape
	paths    []placed // joined to the outline later, in the space of the paint
	m        geom.Matrix
	gradient *raster.Gradient // instead of the shape's colour; in the space of the outline
}

// join joins the paths, as the path operators left them, into the shape's outline.
func (p *paint) join() {
	for _, q := range p.paths {
		if q.m == geom.Identity {
			p.shape.Outline.Append(q.outline)
		} else {
			p.shape.Outline.Append(q.outline.Transform(q.m))
		}
	}
}

// paintState distinguishes the paints of a layer at different times.
func paintState(paints []paint, varies bool) uint64 {
	if !varies {
		return 0
	}
	h := newHash()
	for i := range paints {
		p := &paints[i]
		h.add(p.m.A, p.m.B, p.m.C, p.m.D, p.m.E, p.m.F)
		h.add(p.shape.Color[:]...)
		for _, v := range p.shape.Outline.Verbs {
			h.word(uint64(v))
		}
		for _, q := range p.shape.Outline.Points {
			h.add(q.X, q.Y)
		}
		if s := p.shape.Stroke; s != nil {
			h.add(s.Width, s.MiterLimit, s.DashOffset)
			h.add(s.Dashes...)
		}
		if p.gradient != nil {
			p.gradient.Values(h.add)
		}
	}
	return h.Sum64()
}

func (w *worker) paintShape(dst *raster.Image, p *paint, layer geom.Matrix) {
	m := layer.Mul(p.m)
	if p.gradient == nil {
		w.paint(dst, &p.shape, m)
		return
	}
	clip := raster.PixelRect(p.shape.Bounds().Transform(m)).Intersect(dst.Rect)
	if clip.Empty() {
		return
	}
	w.pen.Reset(clip)
	w.pen.Add(&p.shape, m)
	w.pen.PaintGradient(dst, p.shape.EvenOdd && p.shape.Stroke == nil, p.gradient, m)
}

// path is an outline of a shape layer. Path operators after it change it in place, also for the paints before them.
type path struct{ outline geom.Outline }

// placed is a path with the matrix that maps it to the space in which it is used.
type placed struct {
	*path
	m geom.Matrix
}

// contents is the result of a group of shapes: paths for the operators after it, and paints, from the bottom.
type contents struct {
	paths  []placed
	paints []paint
}

// shapeBuilder walks the groups of a shape layer at a time.
type shapeBuilder struct {
	w     *worker
	v     view
	depth int
}

// maxGroups limits the nesting of groups.
const maxGroups = 100

func (b *shapeBuilder) number(p *aep.Property, match string, def float64) float64 {
	return b.w.number(b.v, p, match, def)
}

func (b *shapeBuilder) point(p *aep.Property, match string) geom.Point {
	x, y := b.w.pair(b.v, p, match, 0, 0)
	return geom.Point{X: x, Y: y}
}

// group walks the children from the top. A fill or stroke paints the outlines above it, and lies below what is painted
// above it.
func (b *shapeBuilder) group(g *aep.Property) contents {
	var c contents
	if g == nil || b.depth > maxGroups {
		return c
	}
	b.depth++
	defer func() { b.depth-- }()
	for _, p := range g.Children {
		if p.Enabled {
			b.child(&c, p)
		}
	}
	return c
}

func (b *shapeBuilder) child(c *contents, p *aep.Property) {
	switch p.Match {
	case "ADBE Vector Group":
		inner := b.transformed(p)
		c.paths = append(c.paths, inner.paths...)
		c.paints = append(inner.paints, c.paints...)
	case "ADBE Vector Shape - Rect":
		w, h := b.w.pair(b.v, p, "ADBE Vector Rect Size", 100, 100)
		at := b.point(p, "ADBE Vector Rect Position")
		b.add(c, p, geom.RectOutline(at.X, at.Y, w, h, b.number(p, "ADBE Vector Rect Roundness", 0)))
	case "ADBE Vector Shape - Ellipse":
		w, h := b.w.pair(b.v, p, "ADBE Vector Ellipse Size", 100, 100)
		at := b.point(p, "ADBE Vector Ellipse Position")
		b.add(c, p, geom.EllipseOutline(at.X, at.Y, w, h))
	case "ADBE Vector Shape - Star":
		b.add(c, p, b.star(p))
	case "ADBE Vector Shape - Group":
		path, _ := b.w.eval.Value(b.v.at(p.Child("ADBE Vector Shape")), b.v.t).(*aep.Path)
		if path != nil {
			b.add(c, p, outlineOf(path))
		}
	case "ADBE Vector Graphic - Fill", "ADBE Vector Graphic - G-Fill", "ADBE Vector Graphic - Stroke", "ADBE Vector Graphic - G-Stroke":
		b.paint(c, p)
	case "ADBE Vector Filter - Trim":
		b.trim(c, p)
	case "ADBE Vector Filter - Merge":
		b.merge(c, p)
	case "ADBE Vector Filter - Repeater":
		b.repeat(c, p)
	case "ADBE Vector Transform Group", "ADBE Vector Materials Group", "ADBE Vector Blend Mode":
	default:
		if p.Group {
			b.w.r.undrawn(b.v, "shape operator '"+displayName(p)+"'")
		}
	}
}

// add adds a shape's outline; direction 3 is reversed.
func (b *shapeBuilder) add(c *contents, p *aep.Property, o geom.Outline) {
	if b.number(p, "ADBE Vector Shape Direction", 1) == 3 {
		o = o.Reverse()
	}
	c.paths = append(c.paths, placed{&path{o}, geom.Identity})
}

func (b *shapeBuilder) star(p *aep.Property) geom.Outline {
	return geom.Star{
		Polygon: b.number(p, "ADBE Vector Star Type", 1) == 2,
		Center:  b.point(p, "ADBE Vector Star Position"),
		// The files misspell the match names of the two roundnesses.
		Points: b.number(p, "ADBE Vector Star Points", 5), Rotation: b.number(p, "ADBE Vector Star Rotation", 0),
		InnerRadius: b.number(p, "ADBE Vector Star Inner Radius", 50), OuterRadius: b.number(p, "ADBE Vector Star Outer Radius", 100),
		InnerRoundness: b.number(p, "ADBE Vector Star Inner Roundess", 0), OuterRoundness: b.number(p, "ADBE Vector Star Outer Roundess", 0),
	}.Outline()
}

// transformed is a nested group in the space of its parent.
func (b *shapeBuilder) transformed(g *aep.Property) contents {
	if blend := b.number(g, "ADBE Vector Blend Mode", 1); blend > 1 {
		b.w.r.undrawn(b.v, "the blend mode of shape group '"+displayName(g)+"'")
	}
	c := b.group(g.Child("ADBE Vectors Group"))
	t := g.Child("ADBE Vector Transform Group")
	m, opacity := b.matrix(t, "ADBE Vector "), b.number(t, "ADBE Vector Group Opacity", 100)/100
	c.transform(m, opacity)
	return c
}

func (c *contents) transform(m geom.Matrix, opacity float64) {
	for i := range c.paths {
		c.paths[i].m = m.Mul(c.paths[i].m)
	}
	for i := range c.paints {
		p := &c.paints[i]
		p.m = m.Mul(p.m)
		p.shape.Color[3] *= max(0, min(1, opacity))
		if p.gradient != nil {
			p.gradient = p.gradient.Faded(opacity)
		}
	}
}

// matrix is the transform of a group or a repeater; the match names of its properties start with prefix.
func (b *shapeBuilder) matrix(t *aep.Property, prefix string) geom.Matrix {
	anchor, at := b.point(t, prefix+"Anchor"), b.point(t, prefix+"Position")
	sx, sy := b.w.pair(b.v, t, prefix+"Scale", 100, 100)
	m := geom.Translate(at.X, at.Y).Mul(geom.Rotate(b.number(t, prefix+"Rotation", 0)))
	if skew := b.number(t, prefix+"Skew", 0); skew != 0 {
		m = m.Mul(geom.Skew(math.Max(-85, math.Min(85, skew)), b.number(t, prefix+"Skew Axis", 0)))
	}
	return m.Mul(geom.Scale(sx/100, sy/100)).Mul(geom.Translate(-anchor.X, -anchor.Y))
}
