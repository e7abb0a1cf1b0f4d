package command

import (
	"time"

	"overcrank/farm"
)

// ConfigureAgent changes what the farm's people want of a machine; nil leaves a field as it is. An empty Name gives the machine
// back its own, which it tells when it comes next.
type ConfigureAgent struct {
	ID      string
	Name    *string
	Drained *bool
	Paused  *bool
	Tags    *[]string
	// Hours are when the farm gives it work; nil leaves them, none means always.
	Hours   *[]farm.Hours `json:",omitempty"`
	Restore bool          `json:",omitempty"` // it is no longer set aside
	// Own is what the machine calls itself, for an empty Name; "" when that is not known: then it says so when it comes next.
	Own string `json:",omitempty"`
}

// PutPolicy replaces the farm's policy. It is refused when Policy.Revision is not the one in force, which the change was not made
// from; the policy gets the next one.
type PutPolicy struct{ Policy farm.Policy }

// ChangeJob changes a job that has not ended; nil leaves a field as it is. Those nested in it follow in what orders them: its
// priority, its level and its earliest start.
type ChangeJob struct {
	Team, ID  string
	Name      *string
	Tags      *[]string
	Priority  *int
	Level     *farm.Level
	NotBefore *time.Time // zero: at once
	At        time.Time
}

func (c ConfigureAgent) Needs() int {
	if c.Hours != nil {
		return MachineHoursLevel
	}
	return ClusterLevel
}

// Needs is higher when the policy bounds slots or names roles, which older programs would lose.
func (c PutPolicy) Needs() int {
	if c.Policy.MaxSlotsPerMachine != 0 || c.Policy.Scripts.Role != "" {
		return CheckedLevel
	}
	for _, l := range c.Policy.Levels {
		if l.Role != "" {
			return CheckedLevel
		}
	}
	return ClusterLevel
}

func (ChangeJob) Needs() int { return ClusterLevel }
