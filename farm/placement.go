package farm

import "time"

// Placement says why a job's next task waits, and when it is likely to start and finish.
type Placement struct {
	Job  string `json:"job"`
	Task string `json:"task,omitempty"` // the job's first waiting task
	Why  Text   `json:"why"`            // in a sentence; zero when nothing of the job waits

	// Split says in a sentence that the render is split over several machines, or why it is not; zero while that is
	// undecided or does not apply.
	Split Text `json:"split,omitzero"`

	Agents  int `json:"agents"`  // connected machines
	Fitting int `json:"fitting"` // connected machines that meet every requirement
	Free    int `json:"free"`    // fitting machines with a free slot
	// Requirements are all that the task asks of a machine, each with how many connected machines it rules out.
	Requirements []Requirement `json:"requirements"`
	// Nearest is the machine that lacks the least; nil when one fits or none is connected.
	Nearest *NearAgent `json:"nearest,omitempty"`
	// Place in the queue, 1 for the first; 0 when the task is not queued. With PlaceAtLeast it may be further back.
	Place        int  `json:"place,omitempty"`
	PlaceAtLeast bool `json:"placeAtLeast,omitempty"`
	// Start is when the task is likely to start, in seconds from now; nil when that is unknown.
	Start *Span `json:"start,omitempty"`
	// Finish is when the job is likely to be done, in seconds from now; nil when that is unknown.
	Finish *Span     `json:"finish,omitempty"`
	At     time.Time `json:"at"`
}

// Requirement is one condition that a task sets for machines.
type Requirement struct {
	Kind     string `json:"kind"`  // engine, version, font, effect, tags, anyTags, noTags, secret, memory, os, failed, present, limit, …
	Wants    Text   `json:"wants"` // such as "After Effects 2026"
	RulesOut int    `json:"rulesOut"`
}

// NearAgent is a machine that nearly fits.
type NearAgent struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Lacks []Text `json:"lacks"`
}

// QueueEntry is a queued task. Of another team's task it shows only the place, the level and since when it waits.
type QueueEntry struct {
	Place    int       `json:"place"` // 1 for the first
	Level    Level     `json:"level"`
	Since    time.Time `json:"since"` // when it could have started at the earliest
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
