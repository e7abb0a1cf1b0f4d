package render

import (
	"slices"

	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/shape"
)

var shapeKind = kind(func(w *worker, v view) (*drawing, error) {
	paints, lacks := v.layer.Shapes.Paints(w.eval, v.t)
	if lacks != "" {
		w.undrawn(v.comp.Item, v.layer.Layer, lacks)
	}
	if len(paints) == 0 {
		return nil, nil
	}
	var box geom.Rect
	for i := range paints {
		box = box.Union(paints[i].Bounds(v.m))
	}
	single := len(paints) == 1 && paints[0].Gradient == nil && paints[0].Group == nil
	mixed := !single && slices.ContainsFunc(paints, func(p shape.Paint) bool { return p.Blend != nil })
	d := &drawing{box: box, still: true, blends: single || mixed}
	if v.layer.Shapes.Varies() {
		d.state = paintState(paints)
	}
	if !mixed && (!single || paints[0].Blend == nil) {
		d.deep = func(dst *deep.Image) error {
			w.deepShapes(dst, paints, v.m)
			return nil
		}
	}
	d.draw = func(dst *raster.Image, opacity float64, blend raster.Blend) error {
		switch {
		case single: // over nothing, its own blend mode is Normal
			w.paintOne(dst, paints[0].Shape, v.m.Mul(paints[0].Matrix), opacity, blend, v.layer.Blend)
		case mixed:
			w.isolated(dst, box, opacity, blend, func(own *raster.Image) { w.paintShapes(own, paints, v.m) })
		default:
			w.paintShapes(dst, paints, v.m)
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
		if p.Group != nil {
			h.word(paintState(p.Group))
		}
		h.add(p.Matrix.A, p.Matrix.B, p.Matrix.C, p.Matrix.D, p.Matrix.E, p.Matrix.F)
		h.add(p.Shape.Color[:]...)
		if p.Shape.EvenOdd {
			h.word(1)
		}
		for _, v := range p.Shape.Outline.Verbs {
			h.word(uint64(v))
		}
		for _, q := range p.Shape.Outline.Points {
			h.add(q.X, q.Y)
		}
		if s := p.Shape.Stroke; s != nil {
			h.add(s.Width, s.MiterLimit, s.DashOffset, float64(s.Cap), float64(s.Join))
			h.add(s.Dashes...)
			if s.Profile != nil {
				s.Profile.Values(h.add)
			}
		}
		if p.Gradient != nil {
			p.Gradient.Values(h.add)
		}
	}
	return h.Sum64()
}

// isolated paints on a surface of its own, so that what is painted mixes only with itself, and lays that over dst.
func (w *worker) isolated(dst *raster.Image, box geom.Rect, opacity float64, blend raster.Blend, paint func(own *raster.Image)) {
	r := raster.PixelRect(box).Intersect(dst.Rect)
	if r.Empty() {
		return
	}
	own := w.r.surfaces.get(r)
	defer w.r.surfaces.put(own)
	paint(own)
	raster.Composite(dst, own, opacity, blend)
}

func (w *worker) paintShapes(dst *raster.Image, paints []shape.Paint, layer geom.Matrix) {
	for i := range paints {
		p := &paints[i]
		if p.Blend == nil {
			w.paintShape(dst, p, layer)
			continue
		}
		w.isolated(dst, p.Bounds(layer), 1, p.Blend, func(own *raster.Image) {
			if p.Group != nil {
				w.paintShapes(own, p.Group, layer)
			} else {
				w.paintShape(own, p, layer)
			}
		})
	}
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

// deepShapes paints what mixes with nothing, in more than bytes.
func (w *worker) deepShapes(dst *deep.Image, paints []shape.Paint, layer geom.Matrix) {
	for i := range paints {
		p := &paints[i]
		m := layer.Mul(p.Matrix)
		if p.Gradient == nil {
			w.deepPaint(dst, &p.Shape, m)
			continue
		}
		clip := raster.PixelRect(p.Shape.Bounds().Transform(m)).Intersect(dst.Rect)
		if clip.Empty() {
			continue
		}
		w.pen.Reset(clip)
		w.pen.Add(&p.Shape, m)
		deep.PaintGradient(dst, &w.pen, p.Shape.EvenOdd && p.Shape.Stroke == nil, p.Gradient, m, w.r.tones.ink)
	}
}
