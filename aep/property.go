package aep

import "strings"

// Property is a node of a layer's property tree: a group with Children, or a value that may be keyframed or driven by an
// expression. Properties that the file leaves out because they are at their default are absent until Complete adds them.
type Property struct {
	Match    string // match name, such as "ADBE Opacity"; the same in every language of After Effects
	Name     string // display name; the user's own where they gave one, else from the catalogue of match names
	Group    bool
	Enabled  bool // the eye of groups, effects and masks; true for others
	Hidden   bool // not applicable now, such as the followers of an unseparated position
	Children []*Property

	Value        Value // static value, also kept beside keys
	Keys         []Keyframe
	Dimensions   int  // of a Numbers value
	Spatial      bool // a position: interpolates along a path in space
	Color        bool // a Numbers value that is RGBA 0–1
	Locked       bool // aspect ratio locked
	Separated    bool // a position whose dimensions are separated: its "ADBE Position_0/1/2" siblings count
	Expression   string
	ExpressionOn bool
	Mask         *MaskInfo // for "ADBE Mask Atom"
	Choices      []string  // labels of a popup parameter, when known
	LayerRef     uint32    // layer id, for parameters that choose a layer
}

// Value is one of Numbers, *TextDocument, *Path, *Gradient, or Opaque.
type Value interface{ isValue() }

// Numbers is a value of one to four numbers.
type Numbers []float64

// Opaque is a value that is kept by but not understood, such as the curves of an effect.
type Opaque []byte

// Path is the outline of a mask or a shape, in pixels of the layer. Tangents are relative to their vertex.
type Path struct {
	Closed   bool
	Vertices []Vertex
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

// ColorStop is a colour at an offset 0–1; Midpoint is where the mix with the next stop is even.
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

// Interpolation is how a keyframe is left or reached.
type Interpolation int

// The interpolations, as the file counts them.
const (
	Linear Interpolation = 1
	Bezier Interpolation = 2
	Hold   Interpolation = 3
)

// Keyframe is a value at a time. Time is in layer-local seconds. Speeds are in units per second and influences are
// fractions 0–1, one per dimension, or one in all for spatial values and for values without a number.
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

// MaskMode is how a mask is combined with those above it.
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

// MaskInfo is what a mask has besides its properties.
type MaskInfo struct {
	Mode       MaskMode
	Inverted   bool
	Locked     bool
	MotionBlur int
	Color      [3]float64
}

// Child finds the first direct child by match name, or else by display name whatever its case; nil when there is none.
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

// Find walks Child along a path.
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
