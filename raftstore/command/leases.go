package command

import (
	"time"

	"overcrank/farm"
)

// Grant is one lease: Attempt is the number the lease gets, one more than the task's last.
type Grant struct {
	Task    string
	Attempt int
	Agent   string
}

// LeaseTasks grants leases; each grant stands or is refused on its own.
type LeaseTasks struct {
	Grants []Grant
	At     time.Time
	// Rested says that the leader has seen to the rests of tasks. Their NotBefore is not held against At then, which is read from
	// a clock that may have been set since, or is another node's.
	Rested bool `json:",omitzero"`
}

// FinishTask ends a task well and promotes the output of the attempt.
type FinishTask struct {
	Task     string
	Attempt  int
	Output   farm.OutputRef
	Warnings []string
	At       time.Time
	Measured farm.Measured `json:",omitzero"`
}

// FailTask ends an attempt without a result. What follows is the class's; without one it is farm.FailureTransient with Retry
// and farm.FailureDeterministic without. A task that is tried again is ready from NotBefore on.
type FailTask struct {
	Task          string
	Attempt       int
	Message       string
	Retry         bool
	Class         farm.FailureClass `json:",omitempty"`
	Warnings      []string
	NotBefore, At time.Time
	Measured      farm.Measured `json:",omitzero"`
	// Cause is why; the zero Cause leaves it to the class.
	Cause farm.Cause `json:",omitzero"`
}

// ExpireLeases takes leases from agents that are gone; the tasks are ready again. Each stands or is refused on its own.
// With Returned the agents gave the tasks back, or never got them: that is no failure of the tasks.
type ExpireLeases struct {
	Leases   []Grant
	Returned bool
	At       time.Time
	// Avoided has tasks that are not returned rather go to other machines, as after any other failure.
	Avoided bool `json:",omitempty"`
}

func (LeaseTasks) Needs() int   { return ClusterLevel }
func (ExpireLeases) Needs() int { return ClusterLevel }

// Needs is higher when frames were reused, which older programs would not record.
func (c FinishTask) Needs() int { return measuredLevel(c.Measured) }

// Needs is higher when the failure has a cause, or frames were reused, which older programs would lose.
func (c FailTask) Needs() int {
	if c.Cause != (farm.Cause{}) {
		return FailuresLevel
	}
	return measuredLevel(c.Measured)
}

func measuredLevel(m farm.Measured) int {
	if m.Reused > 0 {
		return ReusedLevel
	}
	return ClusterLevel
}
