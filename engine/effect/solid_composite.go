package effect

import (
	"strings"

	"overcrank/engine/eval"
	"overcrank/engine/raster"
)

// blends are the blend modes that effects offer, by the labels of their popups in English.
var blends = map[string]raster.Blend{
	"Normal": raster.Normal, "Add": raster.Add, "Multiply": raster.Multiply, "Screen": raster.Screen, "Overlay": raster.Overlay,
	"Soft Light": raster.SoftLight, "Hard Light": raster.HardLight, "Color Dodge": raster.ColorDodge, "Color Burn": raster.ColorBurn,
	"Darken": raster.Darken, "Lighten": raster.Lighten, "Difference": raster.Difference, "Exclusion": raster.Exclusion, "Hue": raster.Hue,
	"Saturation": raster.Saturation, "Color": raster.Chroma, "Luminosity": raster.Luminosity,
}

// Blend is the blend mode that a popup chooses, by its label in the file. A mode that is not known is drawn as Normal, which is also the
// first choice, and noted as a lack.
func (p Params) Blend(number string) raster.Blend {
	prop := p.at(number).Prop
	n := eval.NumberOf(p.at(number), 1)
	if prop == nil || !n.Varies() && n.First() == 1 {
		return raster.Normal
	}
	if i := whole(n.First()) - 1; !n.Varies() && i >= 0 && i < len(prop.Choices) {
		if blend, ok := blends[strings.TrimSpace(prop.Choices[i])]; ok {
			return blend
		}
	}
	p.Lack("the blending mode")
	return raster.Normal
}

// solidComposite is Solid Composite: a colour behind the layer.
type solidComposite struct {
	source, opacity eval.Number
	color           eval.Vector
	blend           raster.Blend
}

func newSolidComposite(p Params) Effect {
	return &solidComposite{p.Number("0001", 100), p.Number("0003", 100), p.Color("0002", [4]float64{1, 1, 1, 1}), p.Blend("0004")}
}

func (e *solidComposite) Draw(f *Frame, img *raster.Image) error {
	c := f.Color(&e.color)
	under, release := f.Host.Surface(img.Rect)
	defer release()
	raster.FillRect(under, f.layerRect(img.Rect), raster.Premultiply([4]float64{c[0], c[1], c[2], unit(f.Number(&e.opacity) / 100)}))
	raster.Composite(under, img, unit(f.Number(&e.source)/100), e.blend)
	copy(img.Pix, under.Pix)
	return nil
}
