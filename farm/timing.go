package farm

// Measured is how long the parts of a render took on one machine.
type Measured struct {
	Engine       string  `json:"engine,omitempty"` // kind and version, such as "aftereffects 26.0.2"
	FetchSeconds float64 `json:"fetchSeconds,omitempty"`
	StartSeconds float64 `json:"startSeconds,omitempty"` // from the engine's start to its first frame
	Frames       int     `json:"frames,omitempty"`       // that were rendered
	FrameSeconds float64 `json:"frameSeconds,omitempty"` // of all frames together
}

// Span is a time to come, in seconds, as a range that the farm is reasonably sure of.
type Span struct {
	Low  float64 `json:"low"`  // nine of ten take longer
	High float64 `json:"high"` // nine of ten take less
	// Learning says that too little was measured for that to mean much; Low and High are 0 when nothing was.
	Learning bool `json:"learning,omitempty"`
}
