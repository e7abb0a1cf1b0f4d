package dom

import (
	"github.com/dop251/goja"

	"overcrank/aep"
)

// enums map the numbers that scripts use to the project's. The numbers are After Effects' own, the same in every
// version.
type enums struct {
	blend   map[int]aep.BlendMode
	blendID map[aep.BlendMode]int
}

// enumeration is an enumeration of the object model; its members are numbered from first on.
type enumeration struct {
	name  string
	first int
	names []string
}

func enumerations() []enumeration {
	return []enumeration{
		{"BlendingMode", 5212, []string{"NORMAL", "DISSOLVE", "DANCING_DISSOLVE", "DARKEN", "MULTIPLY", "LINEAR_BURN",
			"COLOR_BURN", "CLASSIC_COLOR_BURN", "ADD", "LIGHTEN", "SCREEN", "LINEAR_DODGE", "COLOR_DODGE",
			"CLASSIC_COLOR_DODGE", "OVERLAY", "SOFT_LIGHT", "HARD_LIGHT", "LINEAR_LIGHT", "VIVID_LIGHT", "PIN_LIGHT",
			"HARD_MIX", "DIFFERENCE", "CLASSIC_DIFFERENCE", "EXCLUSION", "HUE", "SATURATION", "COLOR", "LUMINOSITY",
			"STENCIL_ALPHA", "STENCIL_LUMA", "SILHOUETE_ALPHA", "SILHOUETTE_LUMA", "ALPHA_ADD", "LUMINESCENT_PREMUL",
			"LIGHTER_COLOR", "DARKER_COLOR", "SUBTRACT", "DIVIDE"}},
		{"TrackMatteType", 5012, []string{"NO_TRACK_MATTE", "ALPHA", "ALPHA_INVERTED", "LUMA", "LUMA_INVERTED"}},
		{"ParagraphJustification", 7412, []string{"MULTIPLE_JUSTIFICATIONS", "LEFT_JUSTIFY", "RIGHT_JUSTIFY",
			"CENTER_JUSTIFY", "FULL_JUSTIFY_LASTLINE_LEFT", "FULL_JUSTIFY_LASTLINE_RIGHT",
			"FULL_JUSTIFY_LASTLINE_CENTER", "FULL_JUSTIFY_LASTLINE_FULL"}},
		{"PropertyType", 6212, []string{"PROPERTY", "NAMED_GROUP", "INDEXED_GROUP"}},
		{"PropertyValueType", 6412, []string{"NO_VALUE", "ThreeD_SPATIAL", "ThreeD", "TwoD_SPATIAL", "TwoD", "OneD",
			"COLOR", "CUSTOM_VALUE", "MARKER", "LAYER_INDEX", "MASK_INDEX", "SHAPE", "TEXT_DOCUMENT"}},
		{"KeyframeInterpolationType", 6612, []string{"LINEAR", "BEZIER", "HOLD"}},
		{"ImportAsType", 3812, []string{"COMP_CROPPED_LAYERS", "FOOTAGE", "COMP", "PROJECT"}},
		{"CloseOptions", 1212, []string{"DO_NOT_SAVE_CHANGES", "PROMPT_TO_SAVE_CHANGES", "SAVE_CHANGES"}},
		{"FontCapsOption", 11012, []string{"FONT_NORMAL_CAPS", "FONT_SMALL_CAPS", "FONT_ALL_CAPS", "FONT_ALL_SMALL_CAPS"}},
		{"FontBaselineOption", 11212, []string{"FONT_NORMAL_BASELINE", "FONT_FAUXED_SUPERSCRIPT", "FONT_FAUXED_SUBSCRIPT"}},
		{"MaskMode", 6812, []string{"NONE", "ADD", "SUBTRACT", "INTERSECT", "LIGHTEN", "DARKEN", "DIFFERENCE"}},
		{"LayerQuality", 4612, []string{"WIREFRAME", "DRAFT", "BEST"}},
		{"LayerSamplingQuality", 4812, []string{"BILINEAR", "BICUBIC"}},
		{"LightType", 4412, []string{"PARALLEL", "SPOT", "POINT", "AMBIENT", "ENVIRONMENT"}},
		{"AutoOrientType", 4212, []string{"NO_AUTO_ORIENT", "ALONG_PATH", "CAMERA_OR_POINT_OF_INTEREST", "CHARACTERS_TOWARD_CAMERA"}},
		{"FrameBlendingType", 4012, []string{"NO_FRAME_BLEND", "FRAME_MIX", "PIXEL_MOTION"}},
		{"AlphaMode", 5412, []string{"STRAIGHT", "IGNORE", "PREMULTIPLIED"}},
		{"FieldSeparationType", 5612, []string{"UPPER_FIELD_FIRST", "OFF", "LOWER_FIELD_FIRST"}},
		{"PurgeTarget", 1412, []string{"ALL_CACHES", "UNDO_CACHES", "SNAPSHOT_CACHES", "IMAGE_CACHES"}},
		{"Language", 1612, []string{"ENGLISH", "JAPANESE", "GERMAN", "FRENCH", "ITALIAN", "SPANISH", "KOREAN", "CHINESE", "RUSSIAN", "PORTUGUESE"}},
		{"TimeDisplayType", 2012, []string{"TIMECODE", "FRAMES"}},
		{"RQItemStatus", 3012, []string{"WILL_CONTINUE", "NEEDS_OUTPUT", "UNQUEUED", "QUEUED", "RENDERING", "USER_STOPPED", "ERR_STOPPED", "DONE"}},
		{"LogType", 3212, []string{"ERRORS_ONLY", "ERRORS_AND_SETTINGS", "ERRORS_AND_PER_FRAME_INFO"}},
		{"GetSettingsFormat", 3412, []string{"NUMBER", "NUMBER_SETTABLE", "STRING", "STRING_SETTABLE"}},
	}
}

const (
	firstTrackMatte    = 5012
	firstJustification = 7413
	firstInterpolation = 6612
	firstQuality       = 4612
	firstLight         = 4412
	firstAutoOrient    = 4212
	namedGroup         = 6213
	indexedGroup       = 6214
	plainProperty      = 6212
)

func (s *session) defineEnums() {
	for _, e := range enumerations() {
		o := s.rt.NewObject()
		for i, name := range e.names {
			_ = o.DefineDataProperty(name, s.rt.ToValue(e.first+i), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE)
		}
		_ = s.rt.Set(e.name, o)
	}
	inOrder := []aep.BlendMode{aep.BlendNormal, aep.BlendDissolve, aep.BlendDancingDissolve, aep.BlendDarken, aep.BlendMultiply,
		aep.BlendLinearBurn, aep.BlendColorBurn, aep.BlendClassicColorBurn, aep.BlendAdd, aep.BlendLighten,
		aep.BlendScreen, aep.BlendLinearDodge, aep.BlendColorDodge, aep.BlendClassicColorDodge, aep.BlendOverlay,
		aep.BlendSoftLight, aep.BlendHardLight, aep.BlendLinearLight, aep.BlendVividLight, aep.BlendPinLight,
		aep.BlendHardMix, aep.BlendDifference, aep.BlendClassicDifference, aep.BlendExclusion, aep.BlendHue,
		aep.BlendSaturation, aep.BlendColor, aep.BlendLuminosity, aep.BlendStencilAlpha, aep.BlendStencilLuma,
		aep.BlendSilhouetteAlpha, aep.BlendSilhouetteLuma, aep.BlendAlphaAdd, aep.BlendLuminescentPremul,
		aep.BlendLighterColor, aep.BlendDarkerColor, aep.BlendSubtract, aep.BlendDivide}
	s.enums = enums{blend: map[int]aep.BlendMode{}, blendID: map[aep.BlendMode]int{}}
	for i, mode := range inOrder {
		s.enums.blend[5212+i] = mode
		s.enums.blendID[mode] = 5212 + i
	}
}

// maskModes are the mask modes in the order that scripts number them.
func maskModes() []aep.MaskMode {
	return []aep.MaskMode{aep.MaskNone, aep.MaskAdd, aep.MaskSubtract, aep.MaskIntersect, aep.MaskLighten, aep.MaskDarken, aep.MaskDifference}
}

// enumerated reads a member of an enumeration that starts at first and has n members.
func (s *session) enumerated(v goja.Value, what string, first, n int) int {
	i := int(s.number(v, what)) - first
	if i < 0 || i >= n {
		s.throw("After Effects error: Unable to set %q: %s is out of range", what, short(v.String()))
	}
	return i
}
