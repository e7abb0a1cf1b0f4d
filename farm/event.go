package farm

// EventKind is what an Event tells of.
type EventKind string

// The kinds of events. They are hints to read again, never the data itself, except progress, log lines and thumbnails,
// which travel only here.
const (
	EventJob       EventKind = "job"       // a job was made or moved
	EventTemplate  EventKind = "template"  // a template was made, moved or removed
	EventMachine   EventKind = "machine"   // a machine came, went or changed what it does
	EventProgress  EventKind = "progress"  // Progress and Frame of a job; without them when a job nested in it moves on
	EventLog       EventKind = "log"       // Lines were added to a job's log
	EventThumbnail EventKind = "thumbnail" // Frame of a job has a picture
	EventAccess    EventKind = "access"    // a token of the team was changed or ended
	EventTask      EventKind = "task"      // a task of Job was made or moved
	EventFarm      EventKind = "farm"      // the farm's policy was changed
)

// Event is something that a watcher of a team's work may want to show. Without a kind it only tells that events were missed.
type Event struct {
	Kind     EventKind `json:"kind"`
	Team     string    `json:"-"`
	ID       string    `json:"id"`            // of the job, task, template, machine or token
	Job      string    `json:"job,omitempty"` // of a task
	Progress float64   `json:"progress,omitempty"`
	Frame    int       `json:"frame,omitempty"`
	Phase    string    `json:"phase,omitempty"`
	Lines    []string  `json:"lines,omitempty"`
	Lost     bool      `json:"lost,omitempty"` // events before this one were missed: read everything again
}

// Thumbnail is a small picture of one rendered frame.
type Thumbnail struct {
	Frame int // 0-based, in the composition
	Size  int64
}
