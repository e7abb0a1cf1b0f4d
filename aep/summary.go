package aep

// Summary is what introspection tells about a project file; it is stored as JSON beside a template.
type Summary struct {
	Version      string               `json:"version"` // such as "17.0.2"
	Compositions []CompositionSummary `json:"compositions"`
	Fonts        []FontSummary        `json:"fonts"`
	Footage      []FootageSummary     `json:"footage"`
	Effects      []string             `json:"effects,omitempty"` // match names of those that plug-ins added to After Effects
	Mogrt        *MogrtSummary        `json:"mogrt,omitempty"`
	Warnings     []string             `json:"warnings,omitempty"`
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
	// RenderStart is the first frame that is rendered when nothing else is asked for, 0-based, and RenderFrames how many are: those
	// of the work area. RenderFrames is 0 in summaries that earlier versions made.
	RenderStart  int `json:"renderStart,omitempty"`
	RenderFrames int `json:"renderFrames,omitempty"`
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
	Text       string   `json:"text,omitempty"` // of a text layer, its content
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
	// Idle says that the layer shows a file or a composition and is neither seen nor heard. Missing is the name of its file when
	// that is not in the archive, though the layer is seen or heard. Summaries that earlier versions made have neither.
	Idle    bool   `json:"idle,omitempty"`
	Missing string `json:"missing,omitempty"`
}

// FontSummary is a font that text uses.
type FontSummary struct {
	PostScript string `json:"postScript"`
}

// FootageSummary is a file the project refers to.
type FootageSummary struct {
	Name    string `json:"name"`
	Path    string `json:"path"` // base name only: the rest is the author's business
	Media   string `json:"media"`
	Used    bool   `json:"used"`
	Present bool   `json:"present"` // found in the archive
}

// MogrtSummary is the panel of a motion graphics template.
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
