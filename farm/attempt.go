package farm

import "time"

// Outcome is how an attempt ended.
type Outcome string

// The outcomes of attempts.
const (
	OutcomeDone      Outcome = "done"
	OutcomeFailed    Outcome = "failed"
	OutcomeReturned  Outcome = "returned" // given back: the artist came, the agent stopped, or nobody got it
	OutcomeLost      Outcome = "lost"     // the machine fell silent
	OutcomeCancelled Outcome = "cancelled"
)

// FailureClass decides what follows on a failed attempt.
type FailureClass string

// Known says whether it is one of the classes below, or "", which leaves the class to others.
func (c FailureClass) Known() bool {
	switch c {
	case "", FailureTransient, FailureLicence, FailureDeterministic, FailureWorker:
		return true
	}
	return false
}

// The classes of failures.
const (
	FailureTransient     FailureClass = "transient"     // tried again after a while, anywhere
	FailureLicence       FailureClass = "licence"       // tried again later, which takes none of the task's tries
	FailureDeterministic FailureClass = "deterministic" // would fail the same way everywhere: fails the job at once
	FailureWorker        FailureClass = "worker"        // tried again on another machine, and never on this one
)

// AttemptRecord is what is kept of an attempt that has ended, or is known of one that is under way.
type AttemptRecord struct {
	Task      string       `json:"task"`
	Number    int          `json:"number"`
	Agent     string       `json:"agent"`
	AgentName string       `json:"agentName,omitempty"`
	LeasedAt  time.Time    `json:"leasedAt"`
	EndedAt   time.Time    `json:"endedAt,omitzero"` // zero while it is under way
	Outcome   Outcome      `json:"outcome,omitempty"`
	Class     FailureClass `json:"class,omitempty"`
	Message   string       `json:"message,omitempty"`
	Measured  Measured     `json:"measured,omitzero"`
}
