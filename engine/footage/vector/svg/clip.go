package svg

import (
	"slices"
	"strings"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

// boxOf is the box around what a group shows, in its own space, without strokes.
func (w *walker) boxOf(g *vector.Group) geom.Rect {
	var box geom.Rect
	for _, n := range g.Nodes {
		switch n := n.(type) {
		case *vector.Group:
			if w.spent.beside[n] {
				continue
			}
			box = box.Union(w.boxOf(n).Transform(n.Matrix))
		case *vector.Shape:
			w.spent.steps += len(n.Outline.Points) / 4
			box = box.Union(tight(n.Outline.Transform(n.Matrix)))
		case *vector.Bitmap:
			r := n.Image.Rect
			box = box.Union(geom.Rect{MaxX: float64(r.Dx()), MaxY: float64(r.Dy())}.Transform(n.Matrix))
		}
	}
	return box
}

// unitsOf maps the units of a clip path's or mask's content to those of what it is for.
func (w *walker) unitsOf(kind string, g *vector.Group) (geom.Matrix, bool) {
	if kind != "objectBoundingBox" {
		return geom.Identity, true
	}
	box := w.boxOf(g)
	return geom.Translate(box.MinX, box.MinY).Mul(geom.Scale(box.MaxX-box.MinX, box.MaxY-box.MinY)), !box.Empty()
}

// clip cuts a group by a clip path. A reference to none cuts nothing.
func (w *walker) clip(ref string, e *element, g *vector.Group) error {
	if !strings.HasPrefix(ref, "url(") {
		w.out.Lack("clip paths that are functions")
		return nil
	}
	of := w.doc.reference(ref)
	if of == nil || of.name != "clipPath" {
		return nil
	}
	if len(w.using) >= maxUses || slices.Contains(w.using, of) {
		w.out.Lack("parts that use themselves")
		return nil
	}
	m, ok := w.unitsOf(of.attr("clipPathUnits"), g)
	if !ok {
		g.Nodes = nil
		return nil
	}
	v := w.sheet.properties(of)
	if own, ok := transform(v["transform"]); ok {
		m = m.Mul(own)
	}
	in := *w
	in.using = append(slices.Clone(w.using), of)
	in.style = initial().within(v)
	var c vector.Clip
	for _, child := range of.children {
		if err := in.clipped(child, m, &c); err != nil {
			return err
		}
	}
	g.Clips = append(g.Clips, c)
	if outer := strings.TrimSpace(v["clip-path"]); strings.HasPrefix(outer, "url(") {
		return in.clip(outer, of, g)
	}
	return nil
}

// maxAreas limits the shapes of one clip path.
const maxAreas = 2_000

// clipped adds the area of an element within a clip path.
func (w *walker) clipped(e *element, m geom.Matrix, c *vector.Clip) error {
	if err := w.spend(1 + (len(e.attrs["d"])+len(e.attrs["points"]))/stepSize); err != nil {
		return err
	}
	v := w.sheet.properties(e)
	if strings.TrimSpace(v["display"]) == "none" {
		return nil
	}
	own, ok := transform(v["transform"])
	if !ok {
		return nil
	}
	m = m.Mul(own)
	in := *w
	in.style = in.style.within(v)
	if in.style.hidden {
		return nil
	}
	if ref := strings.TrimSpace(v["clip-path"]); ref != "" && ref != "none" {
		w.out.Lack("clip paths of the shapes of clip paths")
	}
	switch e.name {
	case "use":
		of := w.doc.reference(e.attr("href"))
		if of == nil || len(w.using) >= maxUses || slices.Contains(w.using, of) {
			return nil
		}
		in.using = append(slices.Clone(w.using), of)
		x, _ := length(v["x"], w.port.w, w.style.fontSize)
		y, _ := length(v["y"], w.port.h, w.style.fontSize)
		return in.clipped(of, m.Mul(geom.Translate(x, y)), c)
	case "text":
		return in.clippedText(e, m, c)
	}
	o, ok := in.shapeOf(e, v)
	if !ok {
		return nil
	}
	if len(*c) == maxAreas {
		return vector.ErrTooMuch
	}
	o = o.Transform(m)
	*c = append(*c, vector.Area{Outline: o, EvenOdd: in.style.clipRule == "evenodd"})
	return w.out.Count(o)
}

// mask makes a group as transparent as a mask says.
func (w *walker) mask(ref string, e *element, g *vector.Group) error {
	of := w.doc.reference(ref)
	if of == nil || of.name != "mask" {
		return nil
	}
	if len(w.using) >= maxUses || slices.Contains(w.using, of) {
		w.out.Lack("parts that use themselves")
		return nil
	}
	v := w.sheet.properties(of)
	m, ok := w.unitsOf(of.attr("maskContentUnits"), g)
	if !ok {
		g.Nodes = nil
		return nil
	}
	in := *w
	in.depth++
	in.using = append(slices.Clone(w.using), of)
	in.style = initial().within(v)
	g.Mask = &vector.Mask{Content: *vector.NewGroup(geom.Identity), Luminance: strings.TrimSpace(v["mask-type"]) != "alpha"}
	content := vector.NewGroup(m)
	if err := in.children(of, content); err != nil {
		return err
	}
	region, ok := in.region(of, g)
	if !ok {
		g.Nodes = nil
		return nil
	}
	g.Mask.Content.Clips = []vector.Clip{{{Outline: region}}}
	return w.out.Add(&g.Mask.Content, content)
}

// region is the rectangle in which a mask applies, by default a tenth larger on each side than what it is for.
func (w *walker) region(of *element, g *vector.Group) (geom.Outline, bool) {
	in := *w
	place := geom.Identity
	if of.attr("maskUnits") != "userSpaceOnUse" {
		in.port = viewport{1, 1}
		var ok bool
		if place, ok = w.unitsOf("objectBoundingBox", g); !ok {
			return geom.Outline{}, false
		}
	}
	at := func(name, otherwise string, whole float64) float64 {
		v := of.attr(name)
		if v == "" {
			v = otherwise
		}
		n, _ := length(v, whole, w.style.fontSize)
		return n
	}
	x, y := at("x", "-10%", in.port.w), at("y", "-10%", in.port.h)
	return rounded(x, y, at("width", "120%", in.port.w), at("height", "120%", in.port.h), 0, 0).Transform(place), true
}
