package shape

import (
	"fmt"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// paintAbove is the value of the popup "Composite" for a paint above those before it.
const paintAbove = 2

// evenOdd is the value of the popup "Fill Rule".
const evenOdd = 2

// fill is Fill and Gradient Fill.
type fill struct {
	rule, opacity, order eval.Number
	color                eval.Vector
	gradient             *gradient
	blend                raster.Blend // nil for Normal
}

func newFill(p params) operator {
	return &fill{
		blend: p.blend(""),
		rule:  p.number("ADBE Vector Fill Rule", 1), opacity: p.number("ADBE Vector Fill Opacity", 100), order: p.number("ADBE Vector Composite Order", 1),
		color:    eval.VectorOf(p.at("ADBE Vector Fill Color"), [4]float64{1, 0, 0, 1}),
		gradient: newGradient(p),
	}
}

func (o *fill) apply(c *contents, m *moment) {
	shape := raster.Shape{EvenOdd: m.number(&o.rule) == evenOdd, Color: o.color.At(m.eval, m.t)}
	c.paint(m, Paint{Shape: shape, Matrix: geom.Identity, Blend: o.blend}, m.number(&o.opacity)/100, o.gradient, m.number(&o.order) == paintAbove)
}

// stroke is Stroke and Gradient Stroke.
type stroke struct {
	width, lineCap, lineJoin, miter, offset, opacity, order eval.Number
	dashes                                                  []dash
	color                                                   eval.Vector
	gradient                                                *gradient
	profile                                                 *profile     // nil for the same width everywhere
	blend                                                   raster.Blend // nil for Normal
}

// dash is a dash and the gap after it. A dash without a gap is followed by a gap of the same length.
type dash struct {
	length, gap eval.Number
	hasGap      bool
}

// maxDashes is how many dashes a stroke has at most, in After Effects too.
const maxDashes = 3

func newStroke(p params) operator {
	dashes := p.child("ADBE Vector Stroke Dashes")
	o := &stroke{
		width: p.number("ADBE Vector Stroke Width", 2), lineCap: p.number("ADBE Vector Stroke Line Cap", 1),
		lineJoin: p.number("ADBE Vector Stroke Line Join", 1), miter: p.number("ADBE Vector Stroke Miter Limit", 4),
		offset: dashes.number("ADBE Vector Stroke Offset", 0), opacity: p.number("ADBE Vector Stroke Opacity", 100), order: p.number("ADBE Vector Composite Order", 1),
		color:    eval.VectorOf(p.at("ADBE Vector Stroke Color"), [4]float64{1, 1, 1, 1}),
		gradient: newGradient(p), profile: newProfile(p), blend: p.blend(""),
	}
	for i := 1; i <= maxDashes; i++ {
		length, gap := dashes.at(fmt.Sprintf("ADBE Vector Stroke Dash %d", i)), dashes.at(fmt.Sprintf("ADBE Vector Stroke Gap %d", i))
		if length.Prop == nil || length.Prop.Hidden {
			break
		}
		o.dashes = append(o.dashes, dash{eval.NumberOf(length, 10), eval.NumberOf(gap, 10), gap.Prop != nil && !gap.Prop.Hidden})
	}
	if o.profile != nil && len(o.dashes) > 0 {
		p.lack("the dashes of '" + p.name() + "', whose width changes,")
	}
	return o
}

func (o *stroke) apply(c *contents, m *moment) {
	style := &raster.StrokeStyle{
		Width: m.number(&o.width), Cap: int(m.number(&o.lineCap)), Join: int(m.number(&o.lineJoin)), MiterLimit: m.number(&o.miter),
		DashOffset: m.number(&o.offset),
	}
	for i := range o.dashes {
		d := &o.dashes[i]
		length := m.number(&d.length)
		gap := length
		if d.hasGap {
			gap = m.number(&d.gap)
		}
		style.Dashes = append(style.Dashes, length, gap)
	}
	if o.profile != nil {
		style.Profile = o.profile.at(m)
	}
	shape := raster.Shape{Stroke: style, Color: o.color.At(m.eval, m.t)}
	c.paint(m, Paint{Shape: shape, Matrix: geom.Identity, Blend: o.blend}, m.number(&o.opacity)/100, o.gradient, m.number(&o.order) == paintAbove)
}

// paint adds a fill or stroke of the outlines so far.
func (c *contents) paint(m *moment, p Paint, opacity float64, g *gradient, above bool) {
	if len(c.paths) == 0 {
		return
	}
	p.Shape.Color[3] = max(0, min(1, opacity))
	out := painted{Paint: p, paths: append([]placed(nil), c.paths...)}
	if g != nil {
		if out.Gradient = g.at(m, opacity); out.Gradient == nil {
			return
		}
	}
	if above {
		c.paints = append(c.paints, out)
	} else {
		c.paints = append([]painted{out}, c.paints...)
	}
}

// gradient is the gradient of a fill or stroke.
type gradient struct {
	stops      eval.Slot
	kind       eval.Number
	start, end eval.Vector
}

// gradientRadial is the value of the popup "Type" of a gradient.
const gradientRadial = 2

// newGradient is nil for a paint of one colour.
func newGradient(p params) *gradient {
	if p.ref.Prop.Match != "ADBE Vector Graphic - G-Fill" && p.ref.Prop.Match != "ADBE Vector Graphic - G-Stroke" {
		return nil
	}
	g := &gradient{
		stops: eval.SlotOf(p.at("ADBE Vector Grad Colors")), kind: p.number("ADBE Vector Grad Type", 1),
		start: p.point("ADBE Vector Grad Start Pt"), end: p.point("ADBE Vector Grad End Pt"),
	}
	if stops, ok := g.stops.First().(*aep.Gradient); !ok || stops == nil || len(stops.Colors) == 0 {
		p.lack("gradient '" + p.name() + "'")
	}
	if highlight := p.number("ADBE Vector Grad HiLite Length", 0); g.kind.First() == gradientRadial && (highlight.Varies() || highlight.First() != 0) {
		p.lack("the highlight of gradient '" + p.name() + "'")
	}
	return g
}

// at is nil when the file says nothing of the colours.
func (g *gradient) at(m *moment, opacity float64) *raster.Gradient {
	stops, _ := g.stops.At(m.eval, m.t).(*aep.Gradient)
	if stops == nil || len(stops.Colors) == 0 {
		return nil
	}
	out := &raster.Gradient{Radial: m.number(&g.kind) == gradientRadial, Start: m.point(&g.start), End: m.point(&g.end)}
	for _, s := range stops.Colors {
		out.Colors = append(out.Colors, raster.ColorStop{Offset: s.Offset, Midpoint: s.Midpoint, RGB: s.RGB})
	}
	for _, s := range stops.Alphas {
		out.Alphas = append(out.Alphas, raster.AlphaStop{Offset: s.Offset, Midpoint: s.Midpoint, Alpha: s.Alpha})
	}
	return out.Faded(opacity)
}

// used tells whether a number is above 0 at some time.
func (p params) used(match string) bool {
	n := p.number(match, 0)
	return n.Varies() || n.First() > 0
}
