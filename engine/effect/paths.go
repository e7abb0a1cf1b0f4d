package effect

import (
	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/shape"
)

// Paths are the masks of the layer that an effect follows: one, or all.
type Paths struct {
	masks  []eval.Slot
	chosen eval.Number // from 1; 0 is none
	all    eval.Number
}

// Paths finds the mask that a parameter chooses; the switch all, if its number is given, chooses all.
func (p Params) Paths(number, all string) Paths {
	out := Paths{chosen: p.Number(number, 0)}
	if all != "" {
		out.all = p.Number(all, 0)
	}
	if p.ref.Layer.Props == nil {
		return out
	}
	if group := p.ref.Layer.Props.Child("ADBE Mask Parade"); group != nil {
		for _, m := range group.Children {
			if m.Mask != nil {
				out.masks = append(out.masks, eval.SlotOf(eval.Ref{Comp: p.ref.Comp, Layer: p.ref.Layer, Prop: m.Child("ADBE Mask Shape")}))
			}
		}
	}
	return out
}

// At are the outlines that are followed, in pixels of the layer.
func (p *Paths) At(f *Frame) []geom.Outline { return p.of(f, f.Choice(&p.all) != 0) }

// of are the outline that was chosen, or all.
func (p *Paths) of(f *Frame, all bool) []geom.Outline {
	var out []geom.Outline
	chosen := f.Choice(&p.chosen)
	for i := range p.masks {
		if !all && i+1 != chosen {
			continue
		}
		if path, ok := p.masks[i].At(f.Eval, f.Time).(*aep.Path); ok {
			out = append(out, shape.OutlineOf(path))
		}
	}
	return out
}

// brush paints lines with a round tip.
type brush struct {
	color    [4]float64 // with its opacity
	size     float64    // diameter, in pixels of the layer
	hardness float64    // 0 to 1
}

// stroke paints outlines on img, which holds nothing else.
func (b *brush) stroke(f *Frame, img *raster.Image, outlines []geom.Outline) {
	if b.size <= 0 {
		return
	}
	sigma := b.soft(f)
	s := raster.Shape{Color: [4]float64{b.color[0], b.color[1], b.color[2], 1}}
	// A soft tip is as wide as a hard one where it is half as dense.
	s.Stroke = &raster.StrokeStyle{Width: max(0.1, b.size*(0.5+0.5*b.hardness)), Cap: raster.RoundCap, Join: raster.RoundJoin}
	for _, o := range outlines {
		s.Outline = o
		f.Host.Paint(img, &s, f.Matrix)
	}
	raster.Blur(img, sigma, sigma)
}

// soft is the standard deviation of the tip's edge, in pixels of the picture.
func (b *brush) soft(f *Frame) float64 { return min(200, b.size*(1-b.hardness)/4*f.Scale()) }

// The values of the popup "Paint Style" of effects that paint lines.
const (
	paintOnTransparent = 2
	paintReveal        = 3
)

// finish joins what was painted with the layer, by the popup "Paint Style".
func finish(style int, img, painted *raster.Image, opacity float64) {
	switch style {
	case paintOnTransparent:
		clear(img.Pix)
		raster.Composite(img, painted, opacity, raster.Normal)
	case paintReveal:
		raster.MultiplyAlpha(img, raster.AlphaOf(painted, img.Rect))
	default:
		raster.Composite(img, painted, opacity, raster.Normal)
	}
}
