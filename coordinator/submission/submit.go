package submission

import (
	"context"
	"slices"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Submit takes a job with the jobs nested in it. The caller has checked its shape; Submit checks it against the farm:
// templates, compositions, files. The whole family is accepted when Submit returns: it survives whatever happens to any
// machine. In the answer each nested job stands in its asset, as Nested.
func (s *Submitter) Submit(ctx context.Context, p farm.Principal, job farm.Job) (farm.Job, error) {
	if err := p.May(farm.ActSubmit); err != nil {
		return farm.Job{}, err
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		return s.submitted(ids, err)
	}
	plan := s.newPlan(p)
	if err := plan.add(state.Aside(ctx), &job); err != nil {
		return farm.Job{}, err
	}
	if err := s.setAside(ctx, plan.jobs); err != nil {
		return farm.Job{}, err
	}
	if _, err := s.state.Apply(ctx, command.SubmitJobs{Jobs: plan.jobs, Tasks: plan.tasks}); err != nil {
		return farm.Job{}, err
	}
	return s.told(job)
}

// told is a job as its submitter is told of it.
func (s *Submitter) told(job farm.Job) (farm.Job, error) {
	if len(job.MissingFonts) == 0 && !slices.ContainsFunc(job.Assets, func(a farm.Asset) bool { return a.Nested != nil }) {
		return job, nil
	}
	shown := job
	return shown, s.farm.TellMissing(&shown)
}

// submitted reads a job as Submit gave it, by its id.
func (s *Submitter) submitted(ids []string, err error) (farm.Job, error) {
	var job farm.Job
	if err != nil {
		return job, err
	}
	err = s.state.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.Job(ids[0])
		if err == nil {
			err = ReadNested(tx, &job)
		}
		return err
	})
	if err != nil {
		return job, err
	}
	return s.told(job)
}

// ReadNested puts the jobs nested in a job into its assets, as they were submitted.
func ReadNested(tx *raftstore.Tx, job *farm.Job) error {
	job.Status = farm.JobQueued
	if len(job.Children) > 0 {
		job.Status = farm.JobPending
	}
	for i := range job.Assets {
		asset := &job.Assets[i]
		if asset.Child == "" {
			continue
		}
		child, err := tx.Job(asset.Child)
		if err != nil {
			return err
		}
		if err := ReadNested(tx, &child); err != nil {
			return err
		}
		asset.Nested = &child
	}
	return nil
}
