package command

import "time"

// CancelJobs cancels jobs: queued and pending ones, and with Force rendering ones too. All or none.
type CancelJobs struct {
	Team  string
	IDs   []string
	Force bool
	At    time.Time
}

func (CancelJobs) Needs() int { return ClusterLevel }
