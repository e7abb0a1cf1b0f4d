package raster

// Mode is the blend mode with a name from After Effects' menus, in English; false when there is none of that name.
func Mode(name string) (Blend, bool) {
	b, ok := modes[name]
	return b, ok
}

// modes are the blend modes by their names. To add one, add a file and a line here.
//
// Linear Dodge is Add: they differ only beyond white, which 8 bits do not have. The classic modes are those that After Effects had before
// version 6. Its guides describe them in the words of their successors (After Effects 5.0 User Guide, page 263; 7.0, page 263); in what else
// they differ is not public.
var modes = map[string]Blend{
	"Normal": Normal, "Dissolve": Dissolve(0), "Dancing Dissolve": Dissolve(0),
	"Darken": Darken, "Multiply": Multiply, "Color Burn": ColorBurn, "Classic Color Burn": ColorBurn, "Linear Burn": LinearBurn,
	"Darker Color": DarkerColor,
	"Add":          Add, "Lighten": Lighten, "Screen": Screen, "Color Dodge": ColorDodge, "Classic Color Dodge": ColorDodge, "Linear Dodge": Add,
	"Lighter Color": LighterColor,
	"Overlay":       Overlay, "Soft Light": SoftLight, "Hard Light": HardLight, "Linear Light": LinearLight, "Vivid Light": VividLight,
	"Pin Light": PinLight, "Hard Mix": HardMix,
	"Difference": Difference, "Classic Difference": Difference, "Exclusion": Exclusion, "Subtract": Subtract, "Divide": Divide,
	"Hue": Hue, "Saturation": Saturation, "Color": Chroma, "Luminosity": Luminosity,
	"Stencil Alpha": StencilAlpha, "Stencil Luma": StencilLuma, "Silhouette Alpha": SilhouetteAlpha, "Silhouette Luma": SilhouetteLuma,
	"Alpha Add": AlphaAdd, "Luminescent Premul": LuminescentPremul,
}
