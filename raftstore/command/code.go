package command

import "time"

// UseCode uses a code up that is good once, and until a time. Whether it is genuine is for whoever asks to know. It is refused
// with CodeGone when it was used before.
type UseCode struct {
	Hash string // of the code
	// Team is whose access ends with it, "" for a code that only begins one: those who watch as members of the team are told.
	Team      string `json:",omitempty"`
	Until, At time.Time
}

func (UseCode) Needs() int { return ClusterLevel }
