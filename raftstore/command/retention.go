package command

import "time"

// RedactJobs takes addresses, paths and values out of jobs that have ended; each stands or is refused on its own. With Erase
// it takes only project and assets out of them, and leaves the webhook, which may not have been called yet.
type RedactJobs struct {
	Jobs  []Redaction
	Erase bool
	At    time.Time
}

// Redaction is one job's part of RedactJobs, with its messages as they are to stay.
type Redaction struct {
	ID       string
	Error    string
	Warnings []string
}

// ExpireOutputs notes that the farm keeps its copies of the results of jobs and of those nested in them no longer; each stands or is
// refused on its own.
type ExpireOutputs struct {
	IDs []string
	At  time.Time
}

// PurgeJobs forgets jobs that have ended, with those nested in them; each stands or is refused on its own.
type PurgeJobs struct{ IDs []string }

func (RedactJobs) Needs() int    { return ClusterLevel }
func (ExpireOutputs) Needs() int { return ClusterLevel }
func (PurgeJobs) Needs() int     { return ClusterLevel }
