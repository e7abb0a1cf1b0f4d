package render

import (
	"fmt"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// blends is the table of blend modes that can be drawn. A new one is a file in engine/raster and a line here.
var blends = map[aep.BlendMode]raster.Blend{
	0:                    raster.Normal,
	aep.BlendNormal:      raster.Normal,
	aep.BlendAdd:         raster.Add,
	aep.BlendLinearDodge: raster.Add,
	aep.BlendMultiply:    raster.Multiply,
	aep.BlendScreen:      raster.Screen,
	aep.BlendOverlay:     raster.Overlay,
	aep.BlendHardLight:   raster.HardLight,
	aep.BlendDarken:      raster.Darken,
	aep.BlendLighten:     raster.Lighten,
	aep.BlendDifference:  raster.Difference,
	aep.BlendExclusion:   raster.Exclusion,
}

// blendNames are what warnings call the other modes.
var blendNames = map[aep.BlendMode]string{
	aep.BlendDissolve: "Dissolve", aep.BlendSoftLight: "Soft Light", aep.BlendClassicDifference: "Classic Difference",
	aep.BlendHue: "Hue", aep.BlendSaturation: "Saturation", aep.BlendColor: "Color", aep.BlendLuminosity: "Luminosity",
	aep.BlendStencilAlpha: "Stencil Alpha", aep.BlendStencilLuma: "Stencil Luma", aep.BlendSilhouetteAlpha: "Silhouette Alpha",
	aep.BlendSilhouetteLuma: "Silhouette Luma", aep.BlendLuminescentPremul: "Luminescent Premul", aep.BlendAlphaAdd: "Alpha Add",
	aep.BlendClassicColorDodge: "Classic Color Dodge", aep.BlendClassicColorBurn: "Classic Color Burn", aep.BlendColorDodge: "Color Dodge",
	aep.BlendColorBurn: "Color Burn", aep.BlendLinearBurn: "Linear Burn", aep.BlendLinearLight: "Linear Light",
	aep.BlendVividLight: "Vivid Light", aep.BlendPinLight: "Pin Light", aep.BlendHardMix: "Hard Mix",
	aep.BlendLighterColor: "Lighter Color", aep.BlendDarkerColor: "Darker Color", aep.BlendSubtract: "Subtract", aep.BlendDivide: "Divide",
}

// blend is the blend mode of the layer; Normal, with a warning, for one that can't be drawn.
func (w *worker) blend(v view) raster.Blend {
	if b, ok := blends[v.layer.Blend]; ok {
		return b
	}
	name, ok := blendNames[v.layer.Blend]
	if !ok {
		name = fmt.Sprintf("number %d", v.layer.Blend)
	}
	w.r.undrawn(v, "blend mode '"+name+"'")
	return raster.Normal
}
