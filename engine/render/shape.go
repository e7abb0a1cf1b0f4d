package render

import (
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/shape"
)

var shapeKind = kind(func(w *worker, v view) (*drawing, error) {
	paints := v.layer.Shapes.Paints(w.eval, v.t)
	if len(paints) == 0 {
		return nil, nil
	}
	var box geom.Rect
	for i := range paints {
		box = box.Union(paints[i].Shape.Bounds().Transform(v.m.Mul(paints[i].Matrix)))
	}
	single := len(paints) == 1 && paints[0].Gradient == nil
	d := &drawing{box: box, still: true, blends: single}
	if v.layer.Shapes.Varies() {
		d.state = paintState(paints)
	}
	d.draw = func(dst *raster.Image, opacity float64, blend raster.Blend) error {
		if single {
			w.paintOne(dst, paints[0].Shape, v.m.Mul(paints[0].Matrix), opacity, blend, v.layer.Blend)
			return nil
		}
		for i := range paints {
			w.paintShape(dst, &paints[i], v.m)
		}
		return nil
	}
	return d, nil
})

// paintState distinguishes the paints of a layer at different times.
func paintState(paints []shape.Paint) uint64 {
	h := newHash()
	for i := range paints {
		p := &paints[i]
		h.add(p.Matrix.A, p.Matrix.B, p.Matrix.C, p.Matrix.D, p.Matrix.E, p.Matrix.F)
		h.add(p.Shape.Color[:]...)
		for _, v := range p.Shape.Outline.Verbs {
			h.word(uint64(v))
		}
		for _, q := range p.Shape.Outline.Points {
			h.add(q.X, q.Y)
		}
		if s := p.Shape.Stroke; s != nil {
			h.add(s.Width, s.MiterLimit, s.DashOffset)
			h.add(s.Dashes...)
		}
		if p.Gradient != nil {
			p.Gradient.Values(h.add)
		}
	}
	return h.Sum64()
}

func (w *worker) paintShape(dst *raster.Image, p *shape.Paint, layer geom.Matrix) {
	m := layer.Mul(p.Matrix)
	if p.Gradient == nil {
		w.paint(dst, &p.Shape, m)
		return
	}
	clip := raster.PixelRect(p.Shape.Bounds().Transform(m)).Intersect(dst.Rect)
	if clip.Empty() {
		return
	}
	w.pen.Reset(clip)
	w.pen.Add(&p.Shape, m)
	w.pen.PaintGradient(dst, p.Shape.EvenOdd && p.Shape.Stroke == nil, p.Gradient, m)
}
