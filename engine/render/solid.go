package render

import (
	"image"
	"math"

	"overcrank/aep"
	"overcrank/engine/deep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

var solidKind = kind(func(w *worker, v view) (*drawing, error) {
	f := v.layer.Source.Footage
	box := geom.Rect{MaxX: float64(f.Width), MaxY: float64(f.Height)}
	c := f.Color
	shape := raster.Shape{
		Outline: geom.RectOutline(box.MaxX/2, box.MaxY/2, box.MaxX, box.MaxY, 0),
		Color:   [4]float64{c[0], c[1], c[2], 1},
	}
	whole, upright := wholeRect(box, v.m)
	hides := whole
	if !upright {
		hides = image.Rectangle{}
	}
	return &drawing{
		opaque: hides,
		box:    box.Transform(v.m), blends: true, still: true, cheap: true,
		deep: func(dst *deep.Image) error {
			w.deepPaint(dst, &shape, v.m)
			return nil
		},
		draw: func(dst *raster.Image, opacity float64, blend raster.Blend) error {
			if upright && opacity == 1 && isNormal(v.layer.Blend) {
				raster.FillRect(dst, whole, raster.Premultiply(shape.Color))
				return nil
			}
			w.paintOne(dst, shape, v.m, opacity, blend, v.layer.Blend)
			return nil
		},
	}, nil
})

func isNormal(b aep.BlendMode) bool { return b <= aep.BlendNormal }

// wholeRect is box mapped by m if that is a rectangle of whole pixels.
func wholeRect(box geom.Rect, m geom.Matrix) (image.Rectangle, bool) {
	if m.B != 0 || m.C != 0 {
		return image.Rectangle{}, false
	}
	r := box.Transform(m)
	near := func(v float64) bool { return math.Abs(v-math.Round(v)) < 1e-3 }
	if !near(r.MinX) || !near(r.MinY) || !near(r.MaxX) || !near(r.MaxY) {
		return image.Rectangle{}, false
	}
	const slack = 1e-3
	return raster.PixelRect(r.Grow(-slack)), true
}

// paintOne paints a single shape, with the layer's opacity.
func (w *worker) paintOne(dst *raster.Image, s raster.Shape, m geom.Matrix, opacity float64, blend raster.Blend, mode aep.BlendMode) {
	if isNormal(mode) {
		s.Color[3] *= opacity
		w.paint(dst, &s, m)
		return
	}
	box := raster.PixelRect(s.Bounds().Transform(m)).Intersect(dst.Rect)
	if box.Empty() {
		return
	}
	own := w.r.surfaces.get(box)
	defer w.r.surfaces.put(own)
	w.paint(own, &s, m)
	raster.Composite(dst, own, opacity, blend)
}

// paint draws a shape over dst.
func (w *worker) paint(dst *raster.Image, s *raster.Shape, m geom.Matrix) {
	clip := raster.PixelRect(s.Bounds().Transform(m)).Intersect(dst.Rect)
	if clip.Empty() {
		return
	}
	w.pen.Reset(clip)
	w.pen.Add(s, m)
	w.pen.Paint(dst, s.EvenOdd && s.Stroke == nil, raster.Premultiply(s.Color))
}

// deepPaint draws a shape over dst, in more than bytes.
func (w *worker) deepPaint(dst *deep.Image, s *raster.Shape, m geom.Matrix) {
	clip := raster.PixelRect(s.Bounds().Transform(m)).Intersect(dst.Rect)
	if clip.Empty() {
		return
	}
	w.pen.Reset(clip)
	w.pen.Add(s, m)
	deep.Paint(dst, &w.pen, s.EvenOdd && s.Stroke == nil, w.r.tones.ink(s.Color))
}
