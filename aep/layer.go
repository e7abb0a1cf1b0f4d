package aep

// LayerKind is the kind of a Layer, numbered as in the file.
type LayerKind int

// The kinds of layers.
const (
	LayerAV     LayerKind = 0
	LayerLight  LayerKind = 1
	LayerCamera LayerKind = 2
	LayerText   LayerKind = 3
	LayerShape  LayerKind = 4
	LayerModel  LayerKind = 5
)

// MatteKind is how a track matte determines a layer's transparency.
type MatteKind int

// The kinds of track mattes.
const (
	MatteNone MatteKind = iota
	MatteAlpha
	MatteAlphaInverted
	MatteLuma
	MatteLumaInverted
)

// Layer is one layer of a composition. Start, In and Out are composition times in seconds; In and Out already include
// Start and Stretch. The composition time of a layer-local time t is Start + t*Stretch/100.
type Layer struct {
	ID      uint32
	Name    string // its own name; "" means its source's
	Comment string
	Label   int
	Kind    LayerKind
	Source  uint32 // item id, 0 for text, shapes, lights, cameras
	Parent  uint32 // layer id, 0 for none
	Start   float64
	In, Out float64
	Stretch float64 // percent, 100 is normal, negative plays backwards

	Blend                BlendMode
	Matte                MatteKind
	MatteLayer           uint32 // layer id; 0 means the layer directly above
	PreserveTransparency bool

	Enabled        bool // the eye switch
	AudioEnabled   bool
	EffectsEnabled bool
	Solo           bool
	Shy            bool
	Locked         bool
	Guide          bool
	Adjustment     bool
	Null           bool
	ThreeD         bool
	Collapse       bool // collapse transformations, or rasterise continuously
	MotionBlur     bool
	FrameBlend     bool
	PixelMotion    bool // frames are blended by the movement within them, and not by mixing them
	AutoOrient     bool // along the path
	// FacesCamera tells whether a 3D layer faces the camera, or a camera or a light its point of interest.
	FacesCamera bool
	// CharactersInSpace tells whether the characters of a 3D text have a depth of their own ("per-character 3D").
	CharactersInSpace bool
	// CharactersFace tells whether each of them faces the camera.
	CharactersFace bool
	// OtherSize tells whether a layer that shows its composition has replaced what it shows by something of another size.
	OtherSize bool
	Quality   int  // 0 wireframe, 1 draft, 2 best
	Bicubic   bool // sampled bicubically where its quality is the best
	LightKind int

	Props   *Property // root group; its children are the layer's own groups, such as "ADBE Transform Group"
	Markers []Marker
}

// DisplayName is the layer's own name, or its source's when it has none.
func (p *Project) DisplayName(l *Layer) string {
	if l.Name != "" {
		return l.Name
	}
	if it := p.Item(l.Source); it != nil {
		return it.Name
	}
	return ""
}
