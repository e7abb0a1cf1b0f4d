package aep

// Project is one After Effects project.
type Project struct {
	Version          Version
	ExpressionEngine string // "javascript-1.0" or "extendscript"
	BitsPerChannel   int    // 8, 16 or 32
	Color            Color
	Items            []*Item // all items but the root, in the order of the project panel, depth first; item i is Items[i-1] for scripts
	ActiveItem       uint32  // id of the composition open when saved, 0 for none
	Path             string  // of the file it was read from, "" when not from a file

	effects map[string]*effectDefinition // by match name, as the file describes them
}

// Version is the version of After Effects that last saved a project.
type Version struct {
	Major, Minor, Patch, Build int
	Beta                       bool
	OS                         string // "windows", "macos" or ""
}

// ItemKind is the kind of an Item.
type ItemKind int

// The kinds of items.
const (
	ItemFolder ItemKind = iota + 1
	ItemComposition
	ItemFootage
)

// Item is an item of the project panel.
type Item struct {
	ID      uint32
	Name    string
	Comment string
	Label   int
	Kind    ItemKind
	Parent  *Item        // folder that contains it, nil at the top
	Comp    *Composition // for ItemComposition
	Footage *Footage     // for ItemFootage
}

// Composition is the timeline of an item. Times are in seconds, sizes in pixels.
type Composition struct {
	Width, Height    int
	PixelAspect      float64
	FrameRate        float64
	FrameTicks       uint32 // the exact frame rate is TicksPerSecond/FrameTicks
	TicksPerSecond   uint32
	Duration         float64
	DisplayStart     float64
	WorkAreaStart    float64
	WorkAreaDuration float64
	Background       [3]float64 // RGB 0–1
	DropFrame        bool
	MotionBlur       bool
	FrameBlending    bool
	KeepsFrameRate   bool    // it shows its own frames within another composition too, whatever the rate of that
	ShutterAngle     float64 // degrees; 360 is a whole frame
	ShutterPhase     float64 // degrees from the frame's time to the opening of the shutter
	ShutterSamples   int     // Samples Per Frame of motion blur, 2 to 64; 0 in projects that no After Effects wrote
	ShutterLimit     int     // Adaptive Sample Limit of motion blur, up to 256; 0 as above
	Renderer         string
	Layers           []*Layer // top first; layer i is Layers[i-1] for scripts
	Controllers      []Controller
	Markers          []Marker
}

// Samples of motion blur that After Effects gives a new composition.
const (
	ShutterSamples = 16
	ShutterLimit   = 128
)

// Controller is a field of the Essential Graphics panel.
type Controller struct {
	ID       string // uuid, the same as in a mogrt's definition.json
	Name     string
	Type     int // as definition.json counts: 1 checkbox, 2 slider, 3 angle, 4 colour, 5 point, 6 text, 8 comment, 9 scale, 10 group, 13 dropdown, 14 media
	Value    any // bool, float64, []float64, string
	Min, Max float64
	Options  []string
	Comp     uint32   // id of the composition item that holds the layer
	Layer    uint32   // id of the layer whose property is driven
	Path     []string // match names below the layer
	Indexes  []int    // for each step of Path, the number from 1 among its siblings; 0 when the match name is enough
}

// Marker is a marker of a composition or a layer.
type Marker struct {
	Time, Duration float64
	Comment        string
	Chapter, URL   string
	FrameTarget    string // the frame of a web page in which the URL opens
	CuePoint       string // its name
	Parameters     [][2]string
	Protected      bool // a protected region
}

// FootageKind is what a Footage consists of.
type FootageKind int

// The kinds of footage.
const (
	FootageFile FootageKind = iota + 1
	FootageSolid
	FootagePlaceholder
)

// FieldOrder says which lines of an interlaced film were taken first.
type FieldOrder int

// The orders of fields.
const (
	FieldsNone FieldOrder = iota // not interlaced, or shown as if it were not
	UpperFirst
	LowerFirst
)

// Footage is the source behind an item: a file, a solid or a placeholder.
type Footage struct {
	Kind          FootageKind
	Width, Height int     // pixels, 0 for sound and data
	Duration      float64 // seconds, 0 for stills
	FrameRate     float64
	PixelAspect   float64
	Color         [3]float64 // of a solid, RGB 0–1
	HasVideo      bool
	HasAudio      bool
	Still         bool
	Sequence      bool
	Loop          int
	Format        string // four-character code of the importer, such as "png!"
	Premultiplied bool
	InvertAlpha   bool
	IgnoreAlpha   bool
	Matte         [3]uint8 // the colour that a premultiplied picture lies on, RGB 0–255
	Fields        FieldOrder
	Pulldown      bool         // fields that a film was stretched by are taken out
	Missing       bool         // missing when saved
	Profile       ColorProfile // assigned instead of that of the file
	Layer         string       // name of the layer, of one layer of a Photoshop file
	LayerNumber   int          // its number from 0, as the project counts
	File          FileReference
}

// FileReference is a project's reference to a file on disk. Nothing in it can be trusted.
type FileReference struct {
	FullPath       string // as saved, in the syntax of the platform that saved it
	Platform       string // "windows", "macos" or ""
	AscendBase     int    // folders to go up from the project's folder, plus one
	AscendTarget   int    // how many of FullPath's last parts lead to the file from there
	TargetIsFolder bool
	// Resolved is the path at which Resolve found the file; the reader leaves it empty.
	Resolved string
}

// Item finds an item by id.
func (p *Project) Item(id uint32) *Item {
	for _, it := range p.Items {
		if it.ID == id {
			return it
		}
	}
	return nil
}

// Composition finds the first composition of that name.
func (p *Project) Composition(name string) *Item {
	for _, it := range p.Items {
		if it.Kind == ItemComposition && it.Name == name {
			return it
		}
	}
	return nil
}
