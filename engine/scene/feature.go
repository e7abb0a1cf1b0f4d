package scene

import (
	"strconv"

	"overcrank/aep"
	"overcrank/engine/style"
)

// Feature is something of After Effects that a composition may use. One that has a match name is the same under each name.
type Feature struct {
	Kind        aep.NeedKind
	Name, Match string
}

// The features that are named neither by After Effects nor by the project.
const (
	Solids, Compositions, Texts, Shapes, Cameras, Lights = "solids", "compositions", "text layers", "shape layers", "cameras", "lights"
	Placeholders, UnknownLayers, RoughLayers             = "placeholders", "layers of a kind that is not known", "layers in draft quality or as wireframes"
	Adjustments, DeepLayers, DeepCharacters              = "adjustment layers", "3D layers", "per-character 3D"
	Collapsed, Continuous, Essentials                    = "collapsed transformations", "continuous rasterization", "essential properties"
	Animators, Masks, Sounds                             = "text animators and paths", "masks", "sound"
	Expressions, Controls                                = "expressions", "expression controls"
	MotionBlur, FrameMix, PixelMotion, Remapping         = "motion blur", "frame mix", "pixel motion", "time remapping"
	LinearBlending, LinearSpace, OpenColorIO, OddPixels  = "linear blending", "a linear working space", "OpenColorIO", "pixels that are not square"
)

// Of is a feature without a match name.
func Of(kind aep.NeedKind, name string) Feature { return Feature{Kind: kind, Name: name} }

// Styled is a layer style.
func Styled(s style.Named) Feature { return Feature{aep.NeedStyle, s.Name, s.Match} }

// Filed is the type of a file.
func Filed(it *aep.Item) Feature { return Of(aep.NeedFootage, it.FileType()) }

// Feature is the effect.
func (e Effect) Feature() Feature { return Feature{aep.NeedEffect, e.Name, e.Match} }

// Feature is the effect.
func (e SoundEffect) Feature() Feature { return Feature{aep.NeedEffect, e.Name, e.Match} }

// Matting is the layer's kind of track matte.
func (l *Layer) Matting() Feature {
	names := [...]string{aep.MatteAlpha: "Alpha", aep.MatteAlphaInverted: "Alpha Inverted", aep.MatteLuma: "Luma", aep.MatteLumaInverted: "Luma Inverted"}
	if l.Matte > 0 && int(l.Matte) < len(names) {
		return Of(aep.NeedMatte, names[l.Matte])
	}
	return Of(aep.NeedMatte, strconv.Itoa(int(l.Matte)))
}

// Blended is the layer's kind of frame blending.
func (l *Layer) Blended() Feature {
	if l.PixelMotion {
		return Of(aep.NeedTime, PixelMotion)
	}
	return Of(aep.NeedTime, FrameMix)
}
