package coordinator

import (
	"context"
	"slices"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Batch finds a batch of the caller's team with those of its jobs that the farm still knows, in their order.
func (c *Coordinator) Batch(_ context.Context, p farm.Principal, id string) (batch farm.Batch, jobs map[string]farm.Job, err error) {
	jobs = map[string]farm.Job{}
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		if batch, err = tx.Batch(id); err != nil || batch.Team != p.Team {
			return err
		}
		for _, entry := range batch.Jobs {
			job, err := tx.Job(entry.ID)
			if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
				return err
			}
			if err == nil {
				jobs[job.ID] = job
			}
		}
		return nil
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && batch.Team != p.Team {
		return farm.Batch{}, nil, noBatch(id)
	}
	return batch, jobs, err
}

// CountedBatch is a batch with the numbers of its jobs by status.
type CountedBatch struct {
	farm.Batch
	Counts map[farm.JobStatus]int
}

// Batches lists batches of the caller's team, the newest first. next is the cursor of the page that follows, "" after the last.
func (c *Coordinator) Batches(_ context.Context, p farm.Principal, cursor string, limit int) (list []CountedBatch, next string, err error) {
	err = c.state.View(func(tx *raftstore.Tx) error {
		var batches []farm.Batch
		var err error
		if batches, next, err = tx.Batches(p.Team, cursor, limit); err != nil {
			return err
		}
		for _, batch := range batches {
			counts, err := tx.CountBatch(batch.ID)
			if err != nil {
				return err
			}
			list = append(list, CountedBatch{Batch: batch, Counts: counts})
		}
		return nil
	})
	return list, next, err
}

// CancelBatch cancels those jobs of a batch that can be cancelled, with their families. It gives the batch with its jobs as they are
// then, and what it cancelled, the batch's own jobs first.
func (c *Coordinator) CancelBatch(ctx context.Context, p farm.Principal, id string, force bool) (batch farm.Batch, jobs map[string]farm.Job, cancelled []farm.Job, err error) {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return farm.Batch{}, nil, nil, err
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		return c.cancelledBatch(ctx, p, ids, err)
	}
	if _, _, err := c.Batch(ctx, p, id); err != nil {
		return farm.Batch{}, nil, nil, err
	}
	res, err := c.state.Apply(ctx, command.CancelBatch{Team: p.Team, ID: id, Force: force, At: c.cfg.Now()})
	if err != nil {
		return farm.Batch{}, nil, nil, err
	}
	c.noteCancelled(p, res)
	batch, jobs, err = c.Batch(ctx, p, id)
	return batch, jobs, res.Jobs, err
}

// BatchPart finds a batch of the caller's team with its numbers, and those of its jobs in given states (nil for all) from a place
// on that the farm still knows, at most limit of them. The jobs come without fonts, assets, upload and webhook.
func (c *Coordinator) BatchPart(_ context.Context, p farm.Principal, id string, states []farm.JobStatus, from, limit int) (batch CountedBatch, jobs []farm.Job, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		if batch.Batch, err = tx.Batch(id); err != nil || batch.Team != p.Team {
			return err
		}
		if batch.Counts, err = tx.CountBatch(id); err != nil {
			return err
		}
		from = max(from, 0)
		for _, entry := range batch.Jobs {
			if len(jobs) == limit {
				break
			}
			if states == nil && from > 0 {
				from--
				continue
			}
			job, err := tx.JobHead(entry.ID)
			switch {
			case err != nil && farm.CodeOf(err) != farm.CodeNotFound:
				return err
			case err != nil || states != nil && !slices.Contains(states, job.Status):
			case from > 0:
				from--
			default:
				jobs = append(jobs, job)
			}
		}
		return nil
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && batch.Team != p.Team {
		return CountedBatch{}, nil, noBatch(id)
	}
	for i := 0; i < len(jobs) && err == nil; i++ {
		err = c.AddProgress(&jobs[i])
	}
	return batch, jobs, err
}

// LabelBatch says what a batch of the caller's team is called and when it is due.
func (c *Coordinator) LabelBatch(ctx context.Context, p farm.Principal, id string, label farm.BatchLabel) error {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return err
	}
	_, err := c.state.Apply(ctx, command.LabelBatch{Team: p.Team, ID: id, Label: label})
	return err
}

func noBatch(id string) error { return farm.Errorf(farm.CodeNotFound, "there is no batch %q", id) }

// cancelledBatch reads what CancelBatch came to: the first id is the batch's.
func (c *Coordinator) cancelledBatch(ctx context.Context, p farm.Principal, ids []string, err error) (farm.Batch, map[string]farm.Job, []farm.Job, error) {
	if err != nil {
		return farm.Batch{}, nil, nil, err
	}
	batch, jobs, err := c.Batch(ctx, p, ids[0])
	if err != nil {
		return batch, jobs, nil, err
	}
	cancelled, err := c.jobsByID(ids[1:], nil)
	return batch, jobs, cancelled, err
}
