package animate

import (
	"math"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Mark is a glyph to be drawn, or its fills or strokes alone.
type Mark struct {
	Shapes  []raster.Shape // in pixels of the glyph, in painting order
	Matrix  geom.Matrix    // maps them to pixels of the layer
	Opacity float64        // of all of them together, 0 to 1
	Blur    geom.Point     // across and down, in pixels of the layer, as blurriness in an effect

	// Of a text in space: what the glyph turns about, in the space of the layer, and what maps its pixels to the space about that.
	At  geom.Vec
	Own geom.Space
}

// marks are what is to be drawn. r may be nil.
func (s *setting) marks(o *options, r *route) []Mark {
	frames := s.frames(r)
	out := make([]Mark, 0, len(s.glyphs))
	switch int(s.number(&o.order)) {
	case fillsAbove:
		out = s.mark(out, frames, (*glyph).strokes)
		return s.mark(out, frames, (*glyph).fills)
	case strokesAbove:
		out = s.mark(out, frames, (*glyph).fills)
		return s.mark(out, frames, (*glyph).strokes)
	}
	return s.mark(out, frames, (*glyph).shapes)
}

func (s *setting) mark(out []Mark, frames []geom.Matrix, shapes func(*glyph) []raster.Shape) []Mark {
	for i := range s.glyphs {
		g := &s.glyphs[i]
		m := frames[i].Mul(g.matrix())
		if len(g.Outline.Verbs) == 0 || !(g.opacity > 0) || !m.Finite() {
			continue
		}
		list := shapes(g)
		if len(list) == 0 {
			continue
		}
		one := Mark{Shapes: list, Matrix: m, Opacity: min(g.opacity, 1), Blur: geom.Point{X: sane(g.blur.X), Y: sane(g.blur.Y)}}
		if s.inSpace {
			f := frames[i]
			one.At = geom.Vec{X: f.E, Y: f.F, Z: g.back.position}
			f.E, f.F = 0, 0
			one.Own = geom.InSpace(f).Mul(g.space())
		}
		out = append(out, one)
	}
	return out
}

// sane is a length that may be drawn.
func sane(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1e6)
}

// frames map pixels around what each glyph turns about to those of the layer.
func (s *setting) frames(r *route) []geom.Matrix {
	out := make([]geom.Matrix, 0, len(s.glyphs))
	s.lines(func(line int, glyphs []glyph) {
		along := spread{}
		if r != nil {
			along = r.spread(glyphs, s.layout.Lines[line].Align)
		}
		for i := range glyphs {
			g := &glyphs[i]
			at := g.pivot.Add(g.position)
			frame := geom.Translate(at.X, at.Y)
			if r != nil {
				frame = r.frame(at.X + along.start + along.gap*float64(i)).Mul(geom.Translate(0, at.Y))
			}
			out = append(out, frame)
		}
	})
	return out
}

func (g *glyph) shapes() []raster.Shape {
	if g.Style.StrokeOverFill {
		return append(g.fills(), g.strokes()...)
	}
	return append(g.strokes(), g.fills()...)
}

func (g *glyph) fills() []raster.Shape {
	if !g.Style.ApplyFill || !(g.fill[3] > 0) {
		return nil
	}
	out := make([]raster.Shape, 1, 2)
	out[0] = raster.Shape{Outline: g.Outline, Color: g.fill}
	if g.Weight > 0 {
		out = append(out, raster.Shape{Outline: g.Outline, Color: g.fill, Stroke: &raster.StrokeStyle{
			Width: g.Weight, Cap: raster.RoundCap, Join: raster.RoundJoin, MiterLimit: 4}})
	}
	return out
}

func (g *glyph) strokes() []raster.Shape {
	if !(g.strokeWidth > 0) || math.IsInf(g.strokeWidth, 0) || !(g.stroke[3] > 0) {
		return nil
	}
	return []raster.Shape{{Outline: g.Outline, Color: g.stroke, Stroke: &raster.StrokeStyle{
		Width: g.strokeWidth, Cap: raster.ButtCap, Join: raster.MiterJoin + int(g.Style.StrokeJoin), MiterLimit: 4}}}
}
