package expression

import (
	"math"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
)

// SourceRect is the bounds of a layer's content, in pixels of the layer, at composition time t. With extents it includes
// the text box or the strokes.
func (m *Machine) SourceRect(comp *aep.Item, l *aep.Layer, t float64, extents bool) (left, top, width, height float64) {
	switch l.Kind {
	case aep.LayerText:
		return m.textRect(comp, l, t, extents)
	case aep.LayerShape:
		b := bounds{}
		m.shapes(comp, l, l.Props.Child("ADBE Root Vectors Group"), geom.Identity, t, &b, 0)
		return b.rect()
	}
	w, h := eval.SourceSize(m.host.Project, l)
	return 0, 0, w, h
}

func (m *Machine) at(comp *aep.Item, l *aep.Layer, p *aep.Property, t float64) aep.Value {
	if p == nil {
		return nil
	}
	ref := eval.Ref{Comp: comp, Layer: l, Prop: p}
	if m.cur != nil && p == m.cur.ref.Prop {
		return m.plainAt(ref, t)
	}
	if m.host.Eval == nil {
		return m.plainAt(ref, t)
	}
	return m.host.Eval.Value(ref, t)
}

func (m *Machine) textRect(comp *aep.Item, l *aep.Layer, t float64, extents bool) (left, top, width, height float64) {
	doc, ok := m.at(comp, l, l.Props.Find("ADBE Text Properties", "ADBE Text Document"), t).(*aep.TextDocument)
	if !ok {
		return 0, 0, 0, 0
	}
	if doc.Box && extents {
		return doc.BoxPos[0], doc.BoxPos[1], doc.BoxSize[0], doc.BoxSize[1]
	}
	if m.host.Fonts != nil {
		if lay, err := m.host.Fonts.Layout(doc); err == nil {
			return lay.Left, lay.Top, lay.Width, lay.Height
		}
	}
	return estimate(doc)
}

// estimate is the bounds of a text without its font: it takes letters to be half as wide as their size.
func estimate(doc *aep.TextDocument) (left, top, width, height float64) {
	st := doc.Style()
	lines, longest, now := 1, 0, 0
	for _, r := range doc.Text {
		if r == '\r' || r == '\x03' {
			lines++
			now = 0
			continue
		}
		now++
		longest = max(longest, now)
	}
	width = float64(longest) * st.Size * 0.5
	height = st.Size*0.72 + float64(lines-1)*st.Size*1.2
	if len(doc.Paragraphs) > 0 {
		switch doc.Paragraphs[0].Style.Justification {
		case aep.JustifyCenter:
			left = -width / 2
		case aep.JustifyRight:
			left = -width
		}
	}
	return left, -st.Size * 0.72, width, height
}

// bounds is a box that grows around points.
type bounds struct {
	any                    bool
	minX, minY, maxX, maxY float64
}

func (b *bounds) add(p geom.Point) {
	if !b.any {
		*b = bounds{true, p.X, p.Y, p.X, p.Y}
		return
	}
	b.minX, b.minY = min(b.minX, p.X), min(b.minY, p.Y)
	b.maxX, b.maxY = max(b.maxX, p.X), max(b.maxY, p.Y)
}

func (b *bounds) rect() (left, top, width, height float64) {
	if !b.any {
		return 0, 0, 0, 0
	}
	return b.minX, b.minY, b.maxX - b.minX, b.maxY - b.minY
}

// shapes adds the contents of a shape layer.
func (m *Machine) shapes(comp *aep.Item, l *aep.Layer, g *aep.Property, mat geom.Matrix, t float64, b *bounds, depth int) {
	if g == nil || depth > 64 {
		return
	}
	num := func(p *aep.Property, match string, def ...float64) []float64 {
		if v, ok := m.at(comp, l, p.Child(match), t).(aep.Numbers); ok && len(v) >= len(def) {
			return v
		}
		return def
	}
	for _, p := range g.Children {
		if !p.Enabled {
			continue
		}
		switch p.Match {
		case "ADBE Vector Group":
			inner := mat.Mul(groupMatrix(func(match string, def ...float64) []float64 {
				return num(p.Child("ADBE Vector Transform Group"), match, def...)
			}))
			m.shapes(comp, l, p.Child("ADBE Vectors Group"), inner, t, b, depth+1)
		case "ADBE Vector Shape - Rect":
			box(b, mat, num(p, "ADBE Vector Rect Size", 100, 100), num(p, "ADBE Vector Rect Position", 0, 0))
		case "ADBE Vector Shape - Ellipse":
			box(b, mat, num(p, "ADBE Vector Ellipse Size", 100, 100), num(p, "ADBE Vector Ellipse Position", 0, 0))
		case "ADBE Vector Shape - Star":
			r := max(num(p, "ADBE Vector Star Outer Radius", 100)[0], num(p, "ADBE Vector Star Inner Radius", 0)[0])
			box(b, mat, []float64{2 * r, 2 * r}, num(p, "ADBE Vector Star Position", 0, 0))
		case "ADBE Vector Shape - Group":
			if path, ok := m.at(comp, l, p.Child("ADBE Vector Shape"), t).(*aep.Path); ok {
				curve(b, mat, path)
			}
		}
	}
}

func groupMatrix(num func(match string, def ...float64) []float64) geom.Matrix {
	anchor, position := num("ADBE Vector Anchor", 0, 0), num("ADBE Vector Position", 0, 0)
	scale, turn := num("ADBE Vector Scale", 100, 100), num("ADBE Vector Rotation", 0)[0]*math.Pi/180
	sin, cos := math.Sincos(turn)
	m := geom.Matrix{A: 1, D: 1, E: position[0], F: position[1]}
	m = m.Mul(geom.Matrix{A: cos, B: sin, C: -sin, D: cos})
	m = m.Mul(geom.Matrix{A: scale[0] / 100, D: scale[1] / 100})
	return m.Mul(geom.Matrix{A: 1, D: 1, E: -anchor[0], F: -anchor[1]})
}

func box(b *bounds, mat geom.Matrix, size, position []float64) {
	for _, x := range []float64{-0.5, 0.5} {
		for _, y := range []float64{-0.5, 0.5} {
			b.add(mat.Apply(geom.Point{X: position[0] + x*size[0], Y: position[1] + y*size[1]}))
		}
	}
}

// curve adds points along a path; the box of its control points would be too wide.
func curve(b *bounds, mat geom.Matrix, p *aep.Path) {
	for i := range 65 {
		if len(p.Vertices) == 0 {
			return
		}
		x, y, _, _ := along(p, float64(i)/64)
		b.add(mat.Apply(geom.Point{X: x, Y: y}))
	}
	for _, v := range p.Vertices {
		b.add(mat.Apply(geom.Point{X: v.X, Y: v.Y}))
	}
}
