package expression

import (
	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/shape"
)

// SourceRect is the bounds of a layer's content, in pixels of the layer, at composition time t. With extents it includes
// the text box or the strokes.
func (m *Machine) SourceRect(comp *aep.Item, l *aep.Layer, t float64, extents bool) (left, top, width, height float64) {
	switch l.Kind {
	case aep.LayerText:
		return m.textRect(comp, l, t, extents)
	case aep.LayerShape:
		return m.shapeRect(comp, l, t, extents)
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

func (m *Machine) shapeRect(comp *aep.Item, l *aep.Layer, t float64, extents bool) (left, top, width, height float64) {
	contents := shape.Compile(eval.Ref{Comp: comp, Layer: l, Prop: l.Props.Child("ADBE Root Vectors Group")})
	if contents.Timed() && m.cur != nil {
		m.cur.moving = true
	}
	values := m.host.Eval
	if values == nil {
		values = &eval.Evaluator{Project: m.host.Project}
	}
	box := contents.Rect(values, t, extents)
	return box.MinX, box.MinY, box.MaxX - box.MinX, box.MaxY - box.MinY
}
