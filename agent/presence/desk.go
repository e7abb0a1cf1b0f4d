package presence

import (
	"context"
	"io"
	"time"
)

// Session is whether somebody is logged in at a machine.
type Session string

// The states of a session. Of several on one machine the one that is most in use counts.
const (
	SessionUnknown Session = ""       // this system does not say
	SessionNone    Session = "none"   // nobody is logged in at the machine itself
	SessionLocked  Session = "locked" // the screen is locked
	SessionActive  Session = "active"
)

// Process is a program that runs.
type Process struct {
	PID, Parent int
	Name        string        // of its file, without folders
	CPU         time.Duration // processor time since it began
	Started     time.Time
	Ours        bool // the agent or one of its children, also when those between have ended
}

// Sight is what can be seen of a desk.
type Sight struct {
	Session    Session
	Input      time.Duration // since the last input
	InputKnown bool
	Processes  []Process
	OtherLoad  float64 // percent of all processors that other programs took lately
	OnBattery  bool
}

// Want is which parts of a Sight are needed; the others are not looked at, since each look costs the artist something.
type Want struct {
	Input     bool // with the session
	Processes bool
	Battery   bool
}

// nothing tells whether there is nothing to be seen.
func (w Want) nothing() bool { return w == Want{} }

// Desk is how a system shows its desk. One that cannot show a part leaves it as it is in the zero Sight; an error means that it
// failed to show what it can.
type Desk interface {
	// Look gives what is wanted. OtherLoad and Process.Ours are filled in by who looks.
	Look(ctx context.Context, want Want) (Sight, error)
	io.Closer
}
