package render

import (
	"fmt"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// paint adds a fill or stroke of the outlines so far.
func (b *shapeBuilder) paint(c *contents, p *aep.Property) {
	if blend := b.number(p, "ADBE Vector Blend Mode", 1); blend > 1 {
		b.w.r.undrawn(b.v, "the blend mode of '"+displayName(p)+"'")
	}
	out := paint{m: geom.Identity, paths: append([]placed(nil), c.paths...)}
	if len(out.paths) == 0 {
		return
	}
	var opacity float64
	switch p.Match {
	case "ADBE Vector Graphic - Fill", "ADBE Vector Graphic - G-Fill":
		opacity = b.number(p, "ADBE Vector Fill Opacity", 100) / 100
		out.shape.EvenOdd = b.number(p, "ADBE Vector Fill Rule", 1) == 2
		out.shape.Color = b.w.color(b.v, p, "ADBE Vector Fill Color", [4]float64{1, 0, 0, 1})
	default:
		opacity = b.number(p, "ADBE Vector Stroke Opacity", 100) / 100
		out.shape.Color = b.w.color(b.v, p, "ADBE Vector Stroke Color", [4]float64{1, 1, 1, 1})
		out.shape.Stroke = b.strokeStyle(p)
		b.warnStroke(p)
	}
	out.shape.Color[3] = max(0, min(1, opacity))
	if p.Match == "ADBE Vector Graphic - G-Fill" || p.Match == "ADBE Vector Graphic - G-Stroke" {
		out.gradient = b.gradient(p, opacity)
		if out.gradient == nil {
			return
		}
	}
	if b.number(p, "ADBE Vector Composite Order", 1) == 2 {
		c.paints = append(c.paints, out)
	} else {
		c.paints = append([]paint{out}, c.paints...)
	}
}

func (b *shapeBuilder) strokeStyle(p *aep.Property) *raster.StrokeStyle {
	s := &raster.StrokeStyle{
		Width:      b.number(p, "ADBE Vector Stroke Width", 2),
		Cap:        int(b.number(p, "ADBE Vector Stroke Line Cap", 1)),
		Join:       int(b.number(p, "ADBE Vector Stroke Line Join", 1)),
		MiterLimit: b.number(p, "ADBE Vector Stroke Miter Limit", 4),
	}
	dashes := p.Child("ADBE Vector Stroke Dashes")
	if dashes == nil {
		return s
	}
	for i := 1; i <= 3; i++ {
		dash := dashes.Child(fmt.Sprintf("ADBE Vector Stroke Dash %d", i))
		if dash == nil || dash.Hidden {
			break
		}
		length := b.w.eval.Number(b.v.at(dash), b.v.t, 10)
		// A dash without a gap is followed by a gap of the same length.
		gap := length
		if g := dashes.Child(fmt.Sprintf("ADBE Vector Stroke Gap %d", i)); g != nil && !g.Hidden {
			gap = b.w.eval.Number(b.v.at(g), b.v.t, length)
		}
		s.Dashes = append(s.Dashes, length, gap)
	}
	s.DashOffset = b.number(dashes, "ADBE Vector Stroke Offset", 0)
	return s
}

func (b *shapeBuilder) gradient(p *aep.Property, opacity float64) *raster.Gradient {
	stops, _ := b.w.eval.Value(b.v.at(p.Child("ADBE Vector Grad Colors")), b.v.t).(*aep.Gradient)
	if stops == nil || len(stops.Colors) == 0 {
		b.w.r.undrawn(b.v, "gradient '"+displayName(p)+"'")
		return nil
	}
	g := &raster.Gradient{
		Radial: b.number(p, "ADBE Vector Grad Type", 1) == 2,
		Start:  b.point(p, "ADBE Vector Grad Start Pt"), End: b.point(p, "ADBE Vector Grad End Pt"),
	}
	if g.Radial && b.number(p, "ADBE Vector Grad HiLite Length", 0) != 0 {
		b.w.r.undrawn(b.v, "the highlight of gradient '"+displayName(p)+"'")
	}
	for _, s := range stops.Colors {
		g.Colors = append(g.Colors, raster.ColorStop{Offset: s.Offset, Midpoint: s.Midpoint, RGB: s.RGB})
	}
	for _, s := range stops.Alphas {
		g.Alphas = append(g.Alphas, raster.AlphaStop{Offset: s.Offset, Midpoint: s.Midpoint, Alpha: s.Alpha})
	}
	return g.Faded(opacity)
}
