package jobs

// Drawing says how frames are drawn.
type Drawing struct {
	MissingFootage string `help:"Where footage is missing: fail, or bars for colour bars." enum:"fail,bars" default:"fail"`
	DrawAll        bool   `help:"Draw every frame, also those that another job has drawn alike."`
}

// AddTo puts what was given into the settings of a request.
func (d Drawing) AddTo(settings map[string]any) {
	if d.MissingFootage == "bars" {
		settings["missingFootage"] = "bars"
	}
	if d.DrawAll {
		settings["reuseFrames"] = false
	}
}
