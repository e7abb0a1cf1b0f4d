package farm

import "time"

// Placement is why a job's next task waits, or where it is.
type Placement struct {
	Job  string `json:"job"`
	Task string `json:"task,omitempty"` // the first of its tasks that waits
	Why  string `json:"why"`            // in a sentence; "" when nothing of the job waits

	// Split says in a sentence that the render is split over several machines, or why it is not; "" as long as that is open, and where it
	// is no question.
	Split string `json:"split,omitempty"`

	Agents  int `json:"agents"`  // that are connected
	Fitting int `json:"fitting"` // of these, meet every requirement
	Free    int `json:"free"`    // of the fitting, have a free slot
	// Requirements are everything that is asked of a machine, each with how many connected ones it rules out.
	Requirements []Requirement `json:"requirements"`
	// Nearest is the machine that lacks the least, nil when one fits or none is there.
	Nearest *NearAgent `json:"nearest,omitempty"`
	// Place in line, 1 for the first; 0 when it is not in line. With PlaceAtLeast it may stand further back.
	Place        int  `json:"place,omitempty"`
	PlaceAtLeast bool `json:"placeAtLeast,omitempty"`
	// Start is when it is likely to begin, in seconds from now; nil when nobody can tell.
	Start *Span `json:"start,omitempty"`
	// Finish is when the job is likely to be done, in seconds from now; nil when nobody can tell.
	Finish *Span     `json:"finish,omitempty"`
	At     time.Time `json:"at"`
}

// Requirement is one thing that is asked of a machine.
type Requirement struct {
	Kind     string `json:"kind"`  // engine, version, font, effect, tags, anyTags, noTags, secret, memory, os, failed, present, limit, …
	Wants    string `json:"wants"` // in words, such as "After Effects 2026"
	RulesOut int    `json:"rulesOut"`
}

// NearAgent is a machine that nearly fits.
type NearAgent struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Lacks []string `json:"lacks"` // in words
}

// QueueEntry is a task in line. Of another team's only its place, its level and its waiting are told.
type QueueEntry struct {
	Place    int       `json:"place"` // 1 for the first
	Level    Level     `json:"level"`
	Since    time.Time `json:"since"` // when it could first have begun
	Task     string    `json:"task,omitempty"`
	Job      string    `json:"job,omitempty"`
	JobName  string    `json:"jobName,omitempty"`
	Team     string    `json:"team,omitempty"`
	Kind     TaskKind  `json:"kind,omitempty"`
	Priority int       `json:"priority,omitempty"`
	Template string    `json:"template,omitempty"` // its id
	// Composition is "" where the job leaves it to the project.
	Composition string `json:"composition,omitempty"`
}
