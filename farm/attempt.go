package farm

import "time"

// Outcome is how an attempt ended.
type Outcome string

// The outcomes of attempts.
const (
	OutcomeDone      Outcome = "done"
	OutcomeFailed    Outcome = "failed"
	OutcomeReturned  Outcome = "returned" // given back: the artist came, the agent stopped, or no machine received it
	OutcomeLost      Outcome = "lost"     // the machine stopped answering
	OutcomeCancelled Outcome = "cancelled"
)

// AttemptRecord describes an attempt that has ended or is under way.
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
