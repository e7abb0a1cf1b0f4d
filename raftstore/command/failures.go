package command

import "time"

// SettleFailures takes jobs that failed off the list of those that need somebody: they were submitted again, or nobody minds. Jobs that are not
// on it are passed over.
type SettleFailures struct {
	Team string
	Jobs []string
	At   time.Time
}

func (SettleFailures) Needs() int { return FailuresLevel }
