package aep

// Summary describes a project file; it is stored as JSON beside a template.
type Summary struct {
	Version      string               `json:"version"` // such as "17.0.2"
	Compositions []CompositionSummary `json:"compositions"`
	Fonts        []FontSummary        `json:"fonts"`
	Footage      []FootageSummary     `json:"footage"`
	Effects      []string             `json:"effects,omitempty"` // match names of those that do not come with After Effects
	Mogrt        *MogrtSummary        `json:"mogrt,omitempty"`
	Warnings     []string             `json:"warnings,omitempty"`
	// Preflight supposes that no font is there, see Preflight.WithFonts. It is nil in summaries from earlier versions.
	Preflight *Preflight `json:"preflight,omitempty"`
}

// CompositionSummary is one composition.
type CompositionSummary struct {
	ID        uint32         `json:"id"`
	Name      string         `json:"name"`
	Width     int            `json:"width"`
	Height    int            `json:"height"`
	Duration  float64        `json:"duration"` // seconds
	FrameRate float64        `json:"frameRate"`
	Root      bool           `json:"root"` // not used as a layer anywhere
	Layers    []LayerSummary `json:"layers"`
	// RenderStart is the first frame that is rendered by default, from 0, and RenderFrames the number of frames: the
	// work area. RenderFrames is 0 in summaries from earlier versions.
	RenderStart  int `json:"renderStart,omitempty"`
	RenderFrames int `json:"renderFrames,omitempty"`
	// Essential is the composition's Essential Graphics panel. Summaries from earlier versions have none.
	Essential []EssentialSummary `json:"essential,omitempty"`
}

// LayerSummary is one layer, with its bounds in composition pixels at time 0.
type LayerSummary struct {
	ID         uint32   `json:"id"`
	Name       string   `json:"name"`
	Type       string   `json:"type"`   // text, av, shape, null, camera, light
	SourceType string   `json:"source"` // file, comp, solid, ""
	SourceName string   `json:"sourceName,omitempty"`
	SourceComp uint32   `json:"sourceComp,omitempty"`
	Media      string   `json:"media,omitempty"` // of a file source: image, video, audio, data
	Parent     uint32   `json:"parent,omitempty"`
	Text       string   `json:"text,omitempty"` // content of a text layer
	Fonts      []string `json:"fonts,omitempty"`
	Expression bool     `json:"expression,omitempty"` // its text is driven by an expression
	Top        float64  `json:"top"`
	Left       float64  `json:"left"`
	Width      float64  `json:"width"`
	Height     float64  `json:"height"`
	Start      float64  `json:"start"` // seconds
	In         float64  `json:"in"`
	Out        float64  `json:"out"`
	Enabled    bool     `json:"enabled"`
	// Idle says that the layer shows a file or a composition and is neither visible nor audible. Missing is the name of
	// the layer's file when the layer is visible or audible and the file is not in the archive. Summaries from earlier
	// versions have neither.
	Idle    bool   `json:"idle,omitempty"`
	Missing string `json:"missing,omitempty"`
	// Controls are the layer's expression controls. Summaries from earlier versions have none.
	Controls []ControlSummary `json:"controls,omitempty"`
}

// FontSummary is a font that text uses.
type FontSummary struct {
	PostScript string `json:"postScript"`
}

// FootageSummary is a file the project refers to.
type FootageSummary struct {
	Name    string `json:"name"`
	Path    string `json:"path"` // base name only: the folders are the author's
	Media   string `json:"media"`
	Used    bool   `json:"used"`
	Present bool   `json:"present"` // found in the archive
}

// MogrtSummary is the Essential Graphics panel of a motion graphics template.
type MogrtSummary struct {
	Name      string              `json:"name"`
	CapsuleID string              `json:"capsuleId"`
	Fields    []MogrtFieldSummary `json:"fields"`
}

// MogrtFieldSummary is one field of the panel.
type MogrtFieldSummary struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Value   any      `json:"value"`
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	Options []string `json:"options,omitempty"`
}
