package presence

import (
	"context"
	"io"
	"time"
)

// Session is whether somebody is logged in at a machine.
type Session string

// The states of a session. Of several sessions on one machine the most active counts.
const (
	SessionUnknown Session = ""       // the system does not tell
	SessionNone    Session = "none"   // nobody is logged in at the machine itself
	SessionLocked  Session = "locked" // the screen is locked
	SessionActive  Session = "active"
)

// Process is a running program.
type Process struct {
	PID, Parent int
	Name        string        // of its file, without the folder
	CPU         time.Duration // processor time since it started
	Started     time.Time
	Ours        bool // the agent or a descendant of it, also when processes in between have ended
}

// Sight is what was observed of a machine.
type Sight struct {
	Session    Session
	Input      time.Duration // since the last input
	InputKnown bool
	Processes  []Process
	OtherLoad  float64 // recent load of programs that are not the agent's, in percent of all processors
	OnBattery  bool
}

// Want says which parts of a Sight are needed. The others are not observed, since that takes processor time from the artist.
type Want struct {
	Input     bool // and the session
	Processes bool
	Battery   bool
}

// nothing reports whether no part is needed.
func (w Want) nothing() bool { return w == Want{} }

// IdleIn is the time since the last input in a session, where a runner in it has told that of late; nil where there are no runners. On
// other systems than Windows the session is 0: that of who is before the machine.
type IdleIn func(session uint32) (idle time.Duration, known bool)

// Desk observes the use of a machine in the way of its system. Parts that the system cannot tell stay as in the zero Sight; an error means
// that observing something failed that the system can tell.
type Desk interface {
	// Look observes what want asks for. It leaves OtherLoad and Process.Ours to its caller.
	Look(ctx context.Context, want Want) (Sight, error)
	io.Closer
}
