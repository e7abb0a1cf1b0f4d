package farm

import "time"

// TaskKind is what an agent is asked to do.
type TaskKind string

// The kinds of tasks.
const (
	TaskRender   TaskKind = "render"   // renders a composition, or one range of frames of a split job
	TaskSample   TaskKind = "sample"   // renders preview frames of a composition before the rest
	TaskSound    TaskKind = "sound"    // renders the sound of a split job
	TaskAssemble TaskKind = "assemble" // puts the frames and the sound of a split job together
	TaskJoin     TaskKind = "join"     // joins clips
)

// TaskStatus is the state of a task.
type TaskStatus string

// The states of a task. A leased task that loses its agent is ready again, under the next attempt.
const (
	TaskBlocked   TaskStatus = "blocked" // waits for other jobs or for the template's file
	TaskReady     TaskStatus = "ready"
	TaskLeased    TaskStatus = "leased"
	TaskDone      TaskStatus = "done"
	TaskFailed    TaskStatus = "failed"
	TaskCancelled TaskStatus = "cancelled"
)

// Task is what an agent leases. Attempt counts its leases and is the fencing token: every message about a task carries
// it, and a message with an older one changes nothing.
type Task struct {
	ID     string   `json:"id"` // "<job id>.<number>"
	Job    string   `json:"job"`
	Team   string   `json:"team"`
	Kind   TaskKind `json:"kind"`
	Frames *Frames  `json:"frames,omitempty"` // nil: as the job's settings say
	Stills []int    `json:"stills,omitempty"` // of a sample: frames, 0-based
	// Stage orders the tasks of a job: a task is blocked until all of lower stages are done. The last stage makes the
	// job's result.
	Stage int `json:"stage,omitempty"`
	// Part says that the task makes parts of the job's result, or preview pictures, and not the result.
	Part bool `json:"part,omitempty"`
	// Parts are what the task has made; where two hold the same frame, the later one counts.
	Parts []TaskPart `json:"parts,omitempty"`
	// Engine is the kind of engine that all parts of a split job use, so that they look alike; "" is any that fits.
	Engine string `json:"engine,omitempty"`
	// Redo is how often its frames were found missing or damaged before.
	Redo      int        `json:"redo,omitempty"`
	Status    TaskStatus `json:"status"`
	Attempt   int        `json:"attempt"`         // 0 before the first lease
	Failures  int        `json:"failures"`        // attempts that failed in a way that may be retried
	Agent     string     `json:"agent,omitempty"` // who holds or held the lease
	LeasedAt  time.Time  `json:"leasedAt,omitzero"`
	NotBefore time.Time  `json:"notBefore,omitzero"` // back-off after a failure
	Avoid     []string   `json:"avoid,omitempty"`    // agents that failed it: others are preferred
	Barred    []string   `json:"barred,omitempty"`   // of these, the ones that never get it again
	Licences  int        `json:"licences,omitempty"` // attempts in a row that found no licence
	Error     string     `json:"error,omitempty"`    // of the last failed attempt
}

// TaskPart is a piece of a split job's result: a file of lossless frames, or of sound.
type TaskPart struct {
	Frames  Frames    `json:"frames"`
	Attempt int       `json:"attempt"` // that made it
	Output  OutputRef `json:"output"`
}

// MaxRedos is how often a missing or damaged frame is rendered again before the job fails.
const MaxRedos = 3

// MaxAttempts is how many attempts of a task may fail before the job does, when neither job nor policy says otherwise.
const MaxAttempts = 3

// MostAttempts is the most that a job or the farm may allow a task.
const MostAttempts = 20
