package scene

import (
	"fmt"
	"maps"
	"slices"

	"overcrank/aep"
	"overcrank/engine/raster"
)

// blends are the blend modes that can be drawn. To add one, add a file in engine/raster and a line here.
var blends = map[aep.BlendMode]raster.Blend{
	0:                     raster.Normal,
	aep.BlendNormal:       raster.Normal,
	aep.BlendAdd:          raster.Add,
	aep.BlendLinearDodge:  raster.Add,
	aep.BlendMultiply:     raster.Multiply,
	aep.BlendScreen:       raster.Screen,
	aep.BlendOverlay:      raster.Overlay,
	aep.BlendHardLight:    raster.HardLight,
	aep.BlendDarken:       raster.Darken,
	aep.BlendLighten:      raster.Lighten,
	aep.BlendDifference:   raster.Difference,
	aep.BlendExclusion:    raster.Exclusion,
	aep.BlendSoftLight:    raster.SoftLight,
	aep.BlendHue:          raster.Hue,
	aep.BlendSaturation:   raster.Saturation,
	aep.BlendColor:        raster.Chroma,
	aep.BlendLuminosity:   raster.Luminosity,
	aep.BlendColorDodge:   raster.ColorDodge,
	aep.BlendColorBurn:    raster.ColorBurn,
	aep.BlendLinearBurn:   raster.LinearBurn,
	aep.BlendLinearLight:  raster.LinearLight,
	aep.BlendVividLight:   raster.VividLight,
	aep.BlendPinLight:     raster.PinLight,
	aep.BlendHardMix:      raster.HardMix,
	aep.BlendLighterColor: raster.LighterColor,
	aep.BlendDarkerColor:  raster.DarkerColor,
	aep.BlendSubtract:     raster.Subtract,
	aep.BlendDivide:       raster.Divide,
}

// blendNames are the names of the other modes, for warnings.
var blendNames = map[aep.BlendMode]string{
	aep.BlendDissolve: "Dissolve", aep.BlendClassicDifference: "Classic Difference", aep.BlendStencilAlpha: "Stencil Alpha",
	aep.BlendStencilLuma: "Stencil Luma", aep.BlendSilhouetteAlpha: "Silhouette Alpha", aep.BlendSilhouetteLuma: "Silhouette Luma",
	aep.BlendLuminescentPremul: "Luminescent Premul", aep.BlendAlphaAdd: "Alpha Add",
	aep.BlendClassicColorDodge: "Classic Color Dodge", aep.BlendClassicColorBurn: "Classic Color Burn",
}

// UndrawnBlends are the names of the blend modes that are not drawn.
func UndrawnBlends() []string { return slices.Sorted(maps.Values(blendNames)) }

// blend is how the layer is composited; Normal, with a lack, for a mode that cannot be drawn.
func (l *Layer) blend() raster.Blend {
	if b, ok := blends[l.Blend]; ok {
		return b
	}
	name, ok := blendNames[l.Blend]
	if !ok {
		name = fmt.Sprintf("number %d", l.Blend)
	}
	l.lack("blend mode '" + name + "'")
	return raster.Normal
}
