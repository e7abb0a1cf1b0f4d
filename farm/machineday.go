package farm

import "time"

// MachineUse is what a machine's time went into.
type MachineUse int

// The uses of a machine's time.
const (
	UseRendering MachineUse = iota
	UseIdle                 // it could have rendered
	UseArtist               // somebody was at work there
	UseAway                 // by its hours, by people's wish, or since it lacked something
	MachineUses             // how many there are
)

// The parts that a day of a machine is told in.
const (
	DayParts = 96
	DayPart  = 15 * time.Minute
)

// MachinePart is a quarter of an hour of a machine. Time of which nothing is known is in none of Seconds.
type MachinePart struct {
	From    time.Time            `json:"from"`
	Seconds [MachineUses]float64 `json:"seconds"`
	Jobs    int                  `json:"jobs,omitempty"`   // attempts that ended
	Failed  int                  `json:"failed,omitempty"` // of these, that failed
	// Job is one that the machine worked on, and Team whose it is; "" for none.
	Job  string `json:"job,omitempty"`
	Team string `json:"team,omitempty"`
}

// MachineDay is what a machine did in the last 24 hours, as far as the coordinator that leads knows it.
type MachineDay struct {
	Since time.Time     `json:"since"` // from when on it is known
	Parts []MachinePart `json:"parts"` // the oldest first; those of which nothing is known are left out
}

// UseOf is what a machine's time goes into while it is like this.
func UseOf(m Machine) MachineUse {
	switch {
	case len(m.Running) > 0:
		return UseRendering
	case m.Desk() == DeskArtist:
		return UseArtist
	case m.State() == MachineFree:
		return UseIdle
	}
	return UseAway
}
