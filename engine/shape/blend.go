package shape

import "overcrank/engine/raster"

// blendModes are the values of the popup "Blend Mode" of groups and paints, from 1, with the lines between them. The list of layers is
// another one.
var blendModes = [...]string{
	"Normal", "",
	"Darken", "Multiply", "Color Burn", "Linear Burn", "Darker Color", "",
	"Lighten", "Screen", "Color Dodge", "Linear Dodge", "Lighter Color", "",
	"Overlay", "Soft Light", "Hard Light", "Linear Light", "Vivid Light", "Pin Light", "Hard Mix", "",
	"Difference", "Exclusion", "",
	"Hue", "Saturation", "Color", "Luminosity",
}

// BlendMode is the blend mode of an entry of the popup "Blend Mode" of shapes, and of the characters of a text; false for one that is not known.
func BlendMode(entry float64) (raster.Blend, bool) {
	if !(entry >= 1 && entry <= float64(len(blendModes))) {
		return nil, false
	}
	return raster.Mode(blendModes[int(entry)-1])
}

// blend is how a group or a paint is laid over what lies below it in the layer; nil for Normal. what names it.
func (p params) blend(what string) raster.Blend {
	mode := p.number("ADBE Vector Blend Mode", 1)
	value := mode.First()
	if !mode.Varies() && value <= 1 {
		return nil
	}
	if blend, ok := BlendMode(value); ok && !mode.Varies() {
		return blend
	}
	p.lack("the blend mode of " + what + "'" + p.name() + "'")
	return nil
}
