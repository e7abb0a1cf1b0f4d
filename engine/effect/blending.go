package effect

import (
	"strings"

	"overcrank/aep"
	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// Blend is the blend mode that a popup chooses, by its label in the file. A mode that is not known is drawn as Normal, which is also the
// first choice, and noted as a lack.
func (p Params) Blend(number string) raster.Blend {
	prop := p.at(number).Prop
	n := eval.NumberOf(p.at(number), 1)
	if prop == nil || !n.Varies() && n.First() == 1 {
		return raster.Normal
	}
	if blend, ok := labelled(prop, n.First()); ok && !n.Varies() {
		return blend
	}
	p.Lack("the blending mode")
	return raster.Normal
}

// labelled is the blend mode that a value of a popup chooses, by its label in the file, which is English.
func labelled(prop *aep.Property, value float64) (raster.Blend, bool) {
	i := whole(value) - 1
	if i < 0 || i >= len(prop.Choices) {
		return nil, false
	}
	return raster.Mode(strings.TrimSpace(prop.Choices[i]))
}

// blending is the popup "Blending Mode" of effects that paint: None, which leaves nothing of the layer, or how they are laid over it.
type blending struct {
	mode  eval.Number
	modes []raster.Blend // by the values of the popup from 1; nil for those that are not drawn
}

// blendingOf is the blending of a parameter whose popup has the values None, Normal, more of the first kind, a line, and then modes in the
// order in which After Effects lists them, with lines between their groups, which count.
func blendingOf(p Params, number string, def float64, first int) blending {
	b := blending{mode: p.Number(number, def), modes: make([]raster.Blend, first, first+24)}
	b.modes[1] = raster.Normal
	b.modes = append(b.modes, nil, raster.Add, raster.Multiply, raster.Screen, raster.Overlay, raster.SoftLight, raster.HardLight,
		nil, raster.ColorDodge, raster.ColorBurn, nil, raster.Darken, raster.Lighten, raster.Difference, raster.Exclusion,
		nil, raster.Hue, raster.Saturation, raster.Chroma, raster.Luminosity)
	p.LackIf(&b.mode, func(v float64) bool { return whole(v) != blendNone && b.at(whole(v)) == nil }, "the blending mode")
	return b
}

// blendNone is the value of the popup "Blending Mode" for what leaves nothing of the layer.
const blendNone = 1

func (b *blending) at(mode int) raster.Blend {
	if mode < 1 || mode > len(b.modes) {
		return nil
	}
	return b.modes[mode-1]
}

// lay lays what an effect has painted over the layer, with an opacity of 0 to 1.
func (b *blending) lay(f *Frame, img, painted *raster.Image, opacity float64) {
	mode := f.Choice(&b.mode)
	if mode == blendNone {
		clear(img.Pix)
	}
	how := b.at(mode)
	if how == nil {
		how = raster.Normal
	}
	raster.Composite(img, painted, opacity, how)
}

// layInside does so too, but keeps the transparency of the layer, as effects do that colour what is there.
func (b *blending) layInside(f *Frame, img, painted *raster.Image, opacity float64) {
	shape := raster.AlphaOf(img, img.Rect)
	mode := f.Choice(&b.mode)
	how := b.at(mode)
	if how == nil {
		how = raster.Normal
	}
	raster.Solidify(img)
	if mode == blendNone {
		for i := range img.Pix {
			if i%4 != 3 {
				img.Pix[i] = 0
			}
		}
	}
	raster.Composite(img, painted, opacity, how)
	raster.MultiplyAlpha(img, shape)
}

// paintEach sets each pixel of img by its position in the layer.
func paintEach(f *Frame, img *raster.Image, of func(x, y float64, px []uint8)) {
	back, ok := f.Matrix.Invert()
	if !ok {
		return
	}
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		row := img.Pix[img.PixOffset(img.Rect.Min.X, y):][:4*img.Rect.Dx()]
		px, py := float64(img.Rect.Min.X)+0.5, float64(y)+0.5
		x0, y0 := back.A*px+back.C*py+back.E, back.B*px+back.D*py+back.F
		for i := range img.Rect.Dx() {
			of(x0+float64(i)*back.A, y0+float64(i)*back.B, row[4*i:4*i+4:4*i+4])
		}
	}
}
