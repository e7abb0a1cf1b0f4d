package scene

import (
	"strconv"

	"overcrank/aep"
	"overcrank/engine/style"
)

// Feature is something of After Effects that a composition may use: its kind (aep.NeedKind), a colon and its name, or its match name and its name
// behind a zero byte. It is one text since many places name one, in a program that has to stay small.
type Feature string

// The features that are named neither by After Effects nor by the project.
const (
	Solids         Feature = "layer:solids"
	Compositions   Feature = "layer:compositions"
	Texts          Feature = "layer:text layers"
	Shapes         Feature = "layer:shape layers"
	Cameras        Feature = "layer:cameras"
	Lights         Feature = "layer:lights"
	Placeholders   Feature = "layer:placeholders"
	UnknownLayers  Feature = "layer:layers of a kind that is not known"
	RoughLayers    Feature = "layer:layers in draft quality or as wireframes"
	Bicubic        Feature = "layer:bicubic sampling"
	Adjustments    Feature = "layer:adjustment layers"
	DeepLayers     Feature = "layer:3D layers"
	DeepCharacters Feature = "layer:per-character 3D"
	Collapsed      Feature = "layer:collapsed transformations"
	Continuous     Feature = "layer:continuous rasterization"
	Essentials     Feature = "layer:essential properties"
	Animators      Feature = "text:text animators and paths"
	Masks          Feature = "mask:masks"
	MotionBlur     Feature = "time:motion blur"
	FrameMix       Feature = "time:frame mix"
	PixelMotion    Feature = "time:pixel motion"
	Remapping      Feature = "time:time remapping"
	Expressions    Feature = "expression:expressions"
	Controls       Feature = "expression:expression controls"
	Sounds         Feature = "sound:sound"
	LinearBlending Feature = "picture:linear blending"
	LinearSpace    Feature = "picture:a linear working space"
	OpenColorIO    Feature = "picture:OpenColorIO"
	OddPixels      Feature = "picture:pixels that are not square"
)

// Of is a feature without a match name.
func Of(kind aep.NeedKind, name string) Feature { return Feature(string(kind) + ":" + name) }

// Named is a feature with a match name, under which it is the same whatever its name.
func Named(kind aep.NeedKind, name, match string) Feature { return Of(kind, match+"\x00"+name) }

// Styled is a layer style.
func Styled(s style.Named) Feature { return Named(aep.NeedStyle, s.Name, s.Match) }

// Filed is the type of a file.
func Filed(it *aep.Item) Feature { return Of(aep.NeedFootage, it.FileType()) }

// Feature is the effect.
func (e Effect) Feature() Feature { return Named(aep.NeedEffect, e.Name, e.Match) }

// Feature is the effect.
func (e SoundEffect) Feature() Feature { return Named(aep.NeedEffect, e.Name, e.Match) }

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
		return PixelMotion
	}
	return FrameMix
}
