package command

import (
	"time"

	"overcrank/farm"
)

// SplitTasks makes several tasks of ready ones that render a whole composition. Each stands or is refused on its own.
type SplitTasks struct {
	Splits []Split
	At     time.Time
}

// Split renders a composition in ranges. The task becomes the first of them and keeps its attempts; the others and the task
// that assembles them are new, and so is one for the sound if there may be some.
type Split struct {
	Task    string
	Attempt int           // the task's last; 0 when it has had none
	Ranges  []farm.Frames // two at least, each beginning where the one before it ends
	Parting
}

// Parting says how the parts of a job are made.
type Parting struct {
	Engine string `json:",omitempty"` // kind of engine that makes all of them; "" for any that fits
	Sound  bool   `json:",omitempty"` // there may be sound
}

// KeepFrames keeps what a leased task has rendered of its frames, from their first on; the rest is what is left of it. The
// attempt goes on. A task that renders the whole becomes the first range of a split job with it.
type KeepFrames struct {
	Task    string
	Attempt int
	Frames  farm.Frames // done
	Output  farm.OutputRef
	Whole   *farm.Frames `json:",omitempty"` // all frames that the job renders; needed for a task that renders the whole
	Parting
	At time.Time
}

// RedoFrames ends an attempt to assemble a result for which frames are missing or damaged: they are rendered again, and
// assembled after that. It is no failure, until a frame has been rendered again farm.MaxRedos times.
type RedoFrames struct {
	Task     string
	Attempt  int
	Bad      []farm.Frames
	Barred   bool // keep them from the machines that rendered them
	Warnings []string
	At       time.Time
}

// DecideJob says what somebody decided who has looked at the pictures of a job that waits for it. A rejected job ends with
// Reason as its error; an approved one goes on.
type DecideJob struct {
	Team, ID string
	Reject   bool
	Reason   string
	By       string
	At       time.Time
}

// RenderAgain has frames of a split job rendered again that somebody does not like. What comes of that replaces what is there of them; if
// the job is being put together, that begins anew afterwards. A job that has ended, or is rendered in one piece, is refused.
type RenderAgain struct {
	Team, ID string
	Frames   []farm.Frames // those of them that no machine has begun, or that already wait to be rendered again, are left out
	At       time.Time
}

func (SplitTasks) Needs() int { return ClusterLevel }
func (KeepFrames) Needs() int { return ClusterLevel }
func (RedoFrames) Needs() int { return ClusterLevel }
func (DecideJob) Needs() int  { return ClusterLevel }

func (RenderAgain) Needs() int { return RenderAgainLevel }
