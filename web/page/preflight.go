package page

import (
	"slices"

	"overcrank/aep"
)

// forecastState is how the verdict on a composition is shown.
func forecastState(f aep.Forecast) State {
	state := State{Word: f.Words(), Class: "error"}
	switch f.Verdict {
	case aep.DrawsExactly:
		state.Class = "finished"
	case aep.DrawsNearly:
		state.Class = "nearly"
	case aep.DrawsNot:
	}
	return state
}

// unlooked says why the engine was not asked about some of a template's compositions; "" when it was asked about all.
func (t Template) unlooked() string {
	if t.Preflight == nil {
		return ""
	}
	switch t.Preflight.Stopped {
	case aep.StoppedByTime:
		return "Checking the compositions took too long. Slow expressions are the usual cause."
	case aep.StoppedByMemory:
		return "Checking the compositions took more memory than --reading-memory allows."
	case aep.StoppedByNumber:
		return "There are more compositions than are checked."
	case aep.StoppedByFailure:
		return "The engine failed on this project. Please report it with the file; the coordinator’s log has the details."
	}
	return ""
}

// lacksFont tells whether neither the library nor any machine has a font.
func (t Template) lacksFont(name string) bool {
	return t.Preflight != nil && slices.Contains(t.Preflight.Fonts(), name)
}
