package farm

// EventKind is what an Event tells of.
type EventKind string

// The kinds of events. An event tells its reader to read the thing again. Only progress, log lines and thumbnails travel
// in the event itself.
const (
	EventJob       EventKind = "job"       // a job was created or changed its state
	EventTemplate  EventKind = "template"  // a template was created, changed its state or was deleted
	EventMachine   EventKind = "machine"   // a machine came, went or changed what it does
	EventProgress  EventKind = "progress"  // Progress and Frame of a job; without them, a job nested in it made progress
	EventLog       EventKind = "log"       // Lines were added to a job's log
	EventThumbnail EventKind = "thumbnail" // Frame of a job has a picture
	EventAccess    EventKind = "access"    // a token of the team was changed or ended
	EventNotice    EventKind = "notice"    // somebody is to be told of something; ID is that of NoticeID
	EventTask      EventKind = "task"      // a task of Job was created or changed its state
	EventBatch     EventKind = "batch"     // a batch got a name; search indexes are told, those who watch are not
	EventFarm      EventKind = "farm"      // the farm's policy was changed
	EventOrder     EventKind = "order"     // the jobs of a team can be sorted whole; only those who watch at this node are told
	EventProject   EventKind = "project"   // a project was created or changed, or a share of a budget was passed; without ID it is the team's
)

// Event is a change that a page showing a team's work may want to show. Without a kind it only says that events were
// missed.
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
