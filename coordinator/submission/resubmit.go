package submission

import (
	"cmp"
	"context"
	"errors"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// ResubmitBatch submits the jobs of a batch that pick chooses once more, as a batch of their own, after change has changed
// them; CodeNotFound when it chooses none. Those that cannot be resubmitted, since the farm no longer keeps what they were made
// of, are refused like any others.
func (s *Submitter) ResubmitBatch(ctx context.Context, p farm.Principal, id string, pick func(farm.Job) bool, change func(*farm.Job)) (BatchResult, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return BatchResult{}, err
	}
	var entries []BatchEntry
	var ids []string
	err := s.state.View(func(tx *raftstore.Tx) error {
		batch, err := tx.Batch(id)
		if err != nil || batch.Team != p.Team {
			return err
		}
		for _, listed := range batch.Jobs {
			job, err := tx.Job(listed.ID)
			if farm.CodeOf(err) == farm.CodeNotFound || err == nil && !pick(job) {
				continue
			}
			if err != nil {
				return err
			}
			entry, err := resubmission(tx, job)
			if err != nil {
				return err
			}
			change(&entry.Job)
			entries = append(entries, entry)
			ids = append(ids, job.ID)
		}
		return nil
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		return BatchResult{}, err
	}
	if len(entries) == 0 {
		return BatchResult{}, farm.Errorf(farm.CodeNotFound, "batch %q has no such jobs", id)
	}
	return s.submitAgain(ctx, p, ids, entries)
}

// ResubmitJobs submits jobs of the caller's team once more, as a batch of their own. Those that cannot be resubmitted are refused like any others;
// CodeConflict when that is all of them.
func (s *Submitter) ResubmitJobs(ctx context.Context, p farm.Principal, ids []string) (BatchResult, error) {
	return s.resubmit(ctx, p, ids, func(*BatchEntry) error { return nil })
}

// resubmit submits jobs once more after change has changed them.
func (s *Submitter) resubmit(ctx context.Context, p farm.Principal, ids []string, change func(*BatchEntry) error) (BatchResult, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return BatchResult{}, err
	}
	var entries []BatchEntry
	for _, id := range ids {
		job, err := s.state.JobOf(p, id)
		if err != nil {
			return BatchResult{}, err
		}
		err = s.state.View(func(tx *raftstore.Tx) error {
			entry, err := resubmission(tx, job)
			entries = append(entries, entry)
			return err
		})
		if err == nil {
			err = change(&entries[len(entries)-1])
		}
		if err != nil {
			return BatchResult{}, err
		}
	}
	return s.submitAgain(ctx, p, ids, entries)
}

// submitAgain submits entries that were made of earlier jobs. Those that are accepted need nobody any more.
func (s *Submitter) submitAgain(ctx context.Context, p farm.Principal, ids []string, entries []BatchEntry) (BatchResult, error) {
	result, err := s.SubmitBatch(ctx, p, entries)
	if err != nil {
		return result, err
	}
	if len(result.Jobs) == 0 {
		return result, farm.Errorf(farm.CodeConflict, "none of the jobs could be resubmitted: %w", result.Errs[0])
	}
	var accepted []string
	for i, id := range ids {
		if result.Errs[i] == nil {
			accepted = append(accepted, id)
		}
	}
	return result, s.settle(ctx, p.Team, accepted)
}

// JobAgain is a job of the caller's team as it was sent, with those nested in it, to be submitted once more. CodeConflict when the farm
// no longer keeps what it was made of.
func (s *Submitter) JobAgain(_ context.Context, p farm.Principal, id string) (farm.Job, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return farm.Job{}, err
	}
	job, err := s.state.JobOf(p, id)
	if err != nil {
		return farm.Job{}, err
	}
	var entry BatchEntry
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		entry, err = resubmission(tx, job)
		return err
	})
	return entry.Job, errors.Join(err, entry.Err)
}

// resubmission is a job as it was sent, with those nested in it.
func resubmission(tx *raftstore.Tx, job farm.Job) (BatchEntry, error) {
	gone := BatchEntry{Err: farm.Errorf(farm.CodeConflict, "what job %s was made of is no longer kept", job.ID)}
	if job.Forgotten() {
		return gone, nil
	}
	switch err := ReadNested(tx, &job); {
	case farm.CodeOf(err) == farm.CodeNotFound:
		return gone, nil
	case err != nil:
		return BatchEntry{}, err
	}
	entry := BatchEntry{Job: job.Definition()}
	if level, _, err := tx.Level(); err == nil && level >= command.ReviewsLevel {
		entry.Job.TakeOf = cmp.Or(job.TakeOf, job.ID)
	}
	return entry, nil
}
