package aep

import "fmt"

// BlendMode is a layer's blend mode, numbered as in the file; 0 is Normal too.
type BlendMode int

// The layer blend modes.
const (
	BlendNormal            BlendMode = 2
	BlendDissolve          BlendMode = 3
	BlendAdd               BlendMode = 4
	BlendMultiply          BlendMode = 5
	BlendScreen            BlendMode = 6
	BlendOverlay           BlendMode = 7
	BlendSoftLight         BlendMode = 8
	BlendHardLight         BlendMode = 9
	BlendDarken            BlendMode = 10
	BlendLighten           BlendMode = 11
	BlendClassicDifference BlendMode = 12
	BlendHue               BlendMode = 13
	BlendSaturation        BlendMode = 14
	BlendColor             BlendMode = 15
	BlendLuminosity        BlendMode = 16
	BlendStencilAlpha      BlendMode = 17
	BlendStencilLuma       BlendMode = 18
	BlendSilhouetteAlpha   BlendMode = 19
	BlendSilhouetteLuma    BlendMode = 20
	BlendLuminescentPremul BlendMode = 21
	BlendAlphaAdd          BlendMode = 22
	BlendClassicColorDodge BlendMode = 23
	BlendClassicColorBurn  BlendMode = 24
	BlendExclusion         BlendMode = 25
	BlendDifference        BlendMode = 26
	BlendColorDodge        BlendMode = 27
	BlendColorBurn         BlendMode = 28
	BlendLinearDodge       BlendMode = 29
	BlendLinearBurn        BlendMode = 30
	BlendLinearLight       BlendMode = 31
	BlendVividLight        BlendMode = 32
	BlendPinLight          BlendMode = 33
	BlendHardMix           BlendMode = 34
	BlendLighterColor      BlendMode = 35
	BlendDarkerColor       BlendMode = 36
	BlendSubtract          BlendMode = 37
	BlendDivide            BlendMode = 38

	// BlendDancingDissolve has no number of its own: in the file it is Dissolve, with a flag elsewhere.
	BlendDancingDissolve = 0x100 + BlendDissolve
)

// BlendModes are all modes, in the order of After Effects' menu.
func BlendModes() []BlendMode {
	return []BlendMode{
		BlendNormal, BlendDissolve, BlendDancingDissolve,
		BlendDarken, BlendMultiply, BlendColorBurn, BlendClassicColorBurn, BlendLinearBurn, BlendDarkerColor,
		BlendAdd, BlendLighten, BlendScreen, BlendColorDodge, BlendClassicColorDodge, BlendLinearDodge, BlendLighterColor,
		BlendOverlay, BlendSoftLight, BlendHardLight, BlendLinearLight, BlendVividLight, BlendPinLight, BlendHardMix,
		BlendDifference, BlendClassicDifference, BlendExclusion, BlendSubtract, BlendDivide,
		BlendHue, BlendSaturation, BlendColor, BlendLuminosity,
		BlendStencilAlpha, BlendStencilLuma, BlendSilhouetteAlpha, BlendSilhouetteLuma,
		BlendAlphaAdd, BlendLuminescentPremul,
	}
}

// String is the mode's name in After Effects' menu, in English.
func (b BlendMode) String() string {
	switch {
	case b == 0:
		return blendNames[BlendNormal]
	case b == BlendDancingDissolve:
		return "Dancing Dissolve"
	case b > 0 && int(b) < len(blendNames) && blendNames[b] != "":
		return blendNames[b]
	}
	return fmt.Sprintf("number %d", int(b))
}

var blendNames = [...]string{
	BlendNormal: "Normal", BlendDissolve: "Dissolve", BlendAdd: "Add", BlendMultiply: "Multiply", BlendScreen: "Screen",
	BlendOverlay: "Overlay", BlendSoftLight: "Soft Light", BlendHardLight: "Hard Light", BlendDarken: "Darken", BlendLighten: "Lighten",
	BlendClassicDifference: "Classic Difference", BlendHue: "Hue", BlendSaturation: "Saturation", BlendColor: "Color",
	BlendLuminosity: "Luminosity", BlendStencilAlpha: "Stencil Alpha", BlendStencilLuma: "Stencil Luma",
	BlendSilhouetteAlpha: "Silhouette Alpha", BlendSilhouetteLuma: "Silhouette Luma", BlendLuminescentPremul: "Luminescent Premul",
	BlendAlphaAdd: "Alpha Add", BlendClassicColorDodge: "Classic Color Dodge", BlendClassicColorBurn: "Classic Color Burn",
	BlendExclusion: "Exclusion", BlendDifference: "Difference", BlendColorDodge: "Color Dodge", BlendColorBurn: "Color Burn",
	BlendLinearDodge: "Linear Dodge", BlendLinearBurn: "Linear Burn", BlendLinearLight: "Linear Light", BlendVividLight: "Vivid Light",
	BlendPinLight: "Pin Light", BlendHardMix: "Hard Mix", BlendLighterColor: "Lighter Color", BlendDarkerColor: "Darker Color",
	BlendSubtract: "Subtract", BlendDivide: "Divide",
}
