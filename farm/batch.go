package farm

import (
	"cmp"
	"slices"
	"time"
)

// Batch is a group of jobs that were submitted at once.
type Batch struct {
	ID        string    `json:"id"`
	Team      string    `json:"team"`
	CreatedAt time.Time `json:"createdAt"`
	// By is who submitted it, once another job has taken the place of the first, which says so until then. It stands before the jobs, of which there may
	// be many.
	By   string     `json:"by,omitempty"`
	Jobs []BatchJob `json:"jobs"` // those that were accepted, in the caller's order
	// Total is how many jobs the caller sent; those that are missing from Jobs were refused.
	Total int `json:"total"`
	BatchLabel
	// Into is the batch in which the submitted jobs become new takes of rows, in the place of the jobs that those have; Index of each job is its row.
	// It stands in submissions only: there is no batch of the submission's own then.
	Into string `json:"into,omitempty"`
}

// Home is the batch whose jobs the submitted ones become.
func (b Batch) Home() string {
	if b.Into != "" {
		return b.Into
	}
	return b.ID
}

// Owner is who submitted the batch, given its first job; "" when nobody knows any more.
func (b Batch) Owner(first Job) string { return cmp.Or(b.By, first.SubmittedBy) }

// BatchLabel is what people call a batch, and when they need it.
type BatchLabel struct {
	Name  string    `json:"name,omitempty"`
	DueAt time.Time `json:"dueAt,omitzero"` // zero when it is due at no time
}

// BatchJob is a job of a batch: Index is its place, from 0, in what the caller sent.
type BatchJob struct {
	Index int    `json:"index"`
	ID    string `json:"id"`
}

// BatchForecast is when the jobs of a batch that have not ended are likely to be done, all of them.
type BatchForecast struct {
	Finish *Span     `json:"finish,omitempty"` // seconds from At; nil when nobody can tell
	Held   bool      `json:"held,omitempty"`   // some wait for people, or for jobs nested in them, and are not counted
	At     time.Time `json:"at"`
}

// BatchFilter selects batches: those that have all that it names. An empty field selects nothing out.
type BatchFilter struct {
	By    string // who submitted them
	State BatchState
}

// BatchState is how a batch as a whole stands.
type BatchState string

// The states of a batch. One with failures is open or done, too.
const (
	BatchOpen    BatchState = "open"     // some of its jobs have not ended
	BatchFailing BatchState = "failures" // some have failed, and no other job took their place
	BatchDone    BatchState = "done"     // all have ended
)

// Known tells whether it is one of them.
func (s BatchState) Known() bool { return slices.Contains(BatchStates(), s) }

// BatchStates are all of them.
func BatchStates() []BatchState { return []BatchState{BatchOpen, BatchFailing, BatchDone} }

// Holds tells whether a batch with jobs of these numbers stands so.
func (s BatchState) Holds(counts map[JobStatus]int) bool {
	open := counts[JobQueued]+counts[JobPending]+counts[JobRendering] > 0
	switch s {
	case BatchOpen:
		return open
	case BatchFailing:
		return counts[JobFailed] > 0
	case BatchDone:
		return !open
	}
	return true
}
