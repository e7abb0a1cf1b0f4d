package aep

import (
	"math"
	"strings"
)

// Property is a node of a layer's property tree: a group with Children, or a value that may have keyframes or an
// expression. Properties that the file leaves out because they have their default values are missing until Complete adds
// them.
type Property struct {
	Match    string // match name, such as "ADBE Opacity"; the same in every language of After Effects
	Name     string // display name; the user's own where they gave one, else from the catalogue of match names
	Group    bool
	Enabled  bool // the eye switch of groups, effects and masks; true for others
	Hidden   bool // does not apply, such as the dimensions of an unseparated position
	Children []*Property

	Value        Value // static value, also set when there are keyframes
	Keys         []Keyframe
	Dimensions   int  // of a Numbers value
	Spatial      bool // a position: interpolates along a path in space
	Color        bool // a Numbers value that is RGBA 0–1
	Locked       bool // aspect ratio locked
	Separated    bool // a position with separated dimensions: its "ADBE Position_0/1/2" siblings are used instead
	Expression   string
	ExpressionOn bool
	Mask         *MaskInfo // for "ADBE Mask Atom"
	Choices      []string  // labels of a popup parameter, when known
	ChoosesLayer bool      // a parameter that chooses a layer
	Usual        Numbers   // of a parameter of an effect: its value where nobody changed it; nil when the file does not say
	LayerRef     uint32    // the id of the layer that it chooses, 0 for none
	LayerPart    LayerPart // what of that layer counts
	Field        string    // of a value that a layer sets for an essential property: the id of the field of the panel
	SourceRef    uint32    // of such a value: the id of the item that is shown in the place of a source
}

// Altered tells whether a parameter of an effect is not what it is where nobody changed it, as far as the file says.
func (p *Property) Altered() bool {
	if p.Usual == nil || p.Hidden {
		return false
	}
	if len(p.Keys) > 0 || p.ExpressionOn || p.LayerRef != 0 {
		return true
	}
	v, ok := p.Value.(Numbers)
	if !ok || len(v) != len(p.Usual) {
		return false
	}
	for i, usual := range p.Usual {
		if math.Abs(v[i]-usual) > 1e-3*max(1, math.Abs(usual)) { // descriptions round
			return true
		}
	}
	return false
}

// LayerPart is what of a layer counts for the effect that chooses it, numbered as in the file.
type LayerPart int32

// The parts of a layer.
const (
	LayerSource      LayerPart = 0  // without its masks and effects
	LayerWithEffects LayerPart = -1 // with both
	LayerWithMasks   LayerPart = -2
)

// Value is one of Numbers, *TextDocument, *Path, *Gradient, or Opaque.
type Value interface{ isValue() }

// Numbers is a value of one to four numbers.
type Numbers []float64

// Opaque is a value that is stored but not understood, such as the curves of an effect.
type Opaque []byte

// Path is a mask or a shape's path, in pixels of the layer. Tangents are relative to their vertex.
type Path struct {
	Closed   bool
	Vertices []Vertex
	// Feather are the points of a mask at which its edge has a width of its own, in the order of the path.
	Feather []FeatherPoint
}

// FeatherPoint is a place on the path of a mask, and how wide the edge is there.
type FeatherPoint struct {
	Segment int     // from the vertex of that number to the next
	At      float64 // how far along the segment, 0 to 1
	Radius  float64 // pixels; outwards, or inwards where it is negative
	Hold    bool    // the radius stays what it is up to the next point
	// Corner says which way the edge lies at a vertex, 0 to 100, and Tension how its line bends, 0 to 1.
	Corner, Tension float64
}

// Vertex is a point of a Path with its incoming and outgoing tangent.
type Vertex struct {
	X, Y, InX, InY, OutX, OutY float64
}

// Gradient holds the stops of a gradient fill or stroke.
type Gradient struct {
	Colors []ColorStop
	Alphas []AlphaStop
}

// ColorStop is a colour at an offset 0–1. Midpoint is where its mixture with the next stop is half and half.
type ColorStop struct {
	Offset, Midpoint float64
	RGB              [3]float64
}

// AlphaStop is an opacity 0–1 at an offset 0–1.
type AlphaStop struct {
	Offset, Midpoint, Alpha float64
}

func (Numbers) isValue()       {}
func (Opaque) isValue()        {}
func (*Path) isValue()         {}
func (*Gradient) isValue()     {}
func (*TextDocument) isValue() {}

// Interpolation is how a keyframe is reached or left.
type Interpolation int

// The interpolations, numbered as in the file.
const (
	Linear Interpolation = 1
	Bezier Interpolation = 2
	Hold   Interpolation = 3
)

// Keyframe is a value at a time. Time is in layer-local seconds. Speeds are in units per second and influences are
// fractions 0–1: one per dimension, or only one for spatial and non-numeric values.
type Keyframe struct {
	Time       float64
	Value      Value
	In, Out    Interpolation
	InEase     []Ease
	OutEase    []Ease
	TangentIn  []float64 // of spatial values, relative to Value, in pixels
	TangentOut []float64
	Roving     bool
	AutoBezier bool
	Continuous bool
	Label      int
}

// Ease is the speed and influence of one side of a keyframe.
type Ease struct{ Speed, Influence float64 }

// MaskMode is how a mask combines with those above it.
type MaskMode int

// The mask modes.
const (
	MaskNone MaskMode = iota
	MaskAdd
	MaskSubtract
	MaskIntersect
	MaskDarken
	MaskLighten
	MaskDifference
)

// MaskMotionBlur says whether the movement of a mask is blurred.
type MaskMotionBlur int

// The settings of a mask's motion blur.
const (
	MaskBlurOfLayer MaskMotionBlur = iota // as the layer's switch says
	MaskBlurOff
	MaskBlurOn
)

// MaskInfo is the state of a mask that is not a property.
type MaskInfo struct {
	Mode       MaskMode
	Inverted   bool
	Locked     bool
	MotionBlur MaskMotionBlur
	Linear     bool // the feather falls off evenly, and not smoothly
	Color      [3]float64
	ID         uint32 // within its layer; 0 for a mask that no file has yet
}

// Child finds the first direct child by match name, or by display name ignoring case; nil when there is none.
func (p *Property) Child(name string) *Property {
	if p == nil {
		return nil
	}
	for _, c := range p.Children {
		if c.Match == name {
			return c
		}
	}
	for _, c := range p.Children {
		if strings.EqualFold(c.Name, name) || strings.EqualFold(c.Match, name) {
			return c
		}
	}
	return nil
}

// Find follows a path with Child.
func (p *Property) Find(path ...string) *Property {
	for _, step := range path {
		p = p.Child(step)
	}
	return p
}

// Float is the first number of a static value, or def.
func (p *Property) Float(def float64) float64 {
	if p != nil {
		if n, ok := p.Value.(Numbers); ok && len(n) > 0 {
			return n[0]
		}
	}
	return def
}
