package coordinator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/joblog"
	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/raftstore"
)

// JobLog opens the log of a job; CodeNotFound when it has none yet.
func (c *Coordinator) JobLog(ctx context.Context, p farm.Principal, id string) (*files.File, error) {
	job, err := c.state.JobOf(p, id)
	if err != nil {
		return nil, err
	}
	r, err := c.openLog(ctx, job.ID)
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeNotFound, "job %s has no log yet: no machine has begun it", job.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the log of job %s: %w", job.ID, err)
	}
	return files.NewFile(r, job.ID+".log", ""), nil
}

// openLog opens a job's log with all that has been written, whichever node has it.
func (c *Coordinator) openLog(ctx context.Context, job string) (*files.Reader, error) {
	if c.storage.Shared() == nil || c.Leads() {
		return c.logs.Open(ctx, job)
	}
	layout, err := peers.AskLeader(ctx, c.peers, askLog, job)
	if farm.CodeOf(err) == farm.CodeUnavailable { // there is no leader: what is stored is all there is
		return c.logs.Open(ctx, job)
	}
	if err != nil {
		return nil, err
	}
	if len(layout) == 0 {
		return nil, files.ErrNotFound
	}
	return c.logs.OpenLayout(layout)
}

// logOf is what a job's log consists of; empty when it has none.
func (c *Coordinator) logOf(ctx context.Context, job string) ([]joblog.Part, error) {
	parts, err := c.logs.Layout(ctx, job)
	if errors.Is(err, files.ErrNotFound) {
		return nil, nil
	}
	return parts, err
}

// logGrace is how long lines of a job that this node does not know are kept.
const logGrace = time.Hour

// wantsLog tells whether lines of a job that came before a time may still be kept: not once the job has been redacted, or is gone.
func (c *Coordinator) wantsLog(id string, begun time.Time) (wanted bool, err error) {
	var job farm.Job
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.Job(id)
		return err
	})
	switch {
	case farm.CodeOf(err) == farm.CodeNotFound: // gone, or not yet known to a node that has been away
		return time.Since(begun) < logGrace, nil
	case err != nil:
		return false, err
	}
	for _, clean := range []time.Time{job.RedactedAt, job.ErasedAt} {
		if !clean.IsZero() && begun.Before(clean) {
			return false, nil
		}
	}
	return true, nil
}

// logOrder grows with the farm's log.
func (c *Coordinator) logOrder() (index uint64) {
	_ = c.state.View(func(tx *raftstore.Tx) error { // which cannot fail by itself, and 0 only costs the order of two pieces
		index = tx.Index()
		return nil
	})
	return index
}
