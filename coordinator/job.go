package coordinator

import (
	"context"
	"errors"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Job finds a job of the caller's team. A private one shows its assets until it ends.
func (c *Coordinator) Job(ctx context.Context, p farm.Principal, id string) (farm.Job, error) {
	job, err := c.state.JobOf(p, id)
	if err != nil {
		return farm.Job{}, err
	}
	if !job.Status.Ended() {
		whole, err := c.private.Whole(ctx, job)
		if err == nil {
			job = whole
		} else if farm.CodeOf(err) != farm.CodeGone {
			return farm.Job{}, err
		}
	}
	return job, errors.Join(c.AddProgress(&job), c.OnlyMissing(&job))
}

// Jobs lists jobs of the caller's team. next is the cursor of the page that follows, "" after the last.
func (c *Coordinator) Jobs(_ context.Context, p farm.Principal, q farm.JobQuery) (jobs []farm.Job, next string, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		if q.Project != "" {
			project, err := tx.ProjectNamed(p.Team, q.Project)
			if farm.CodeOf(err) == farm.CodeNotFound {
				return farm.Invalid("there are no such jobs", farm.Field("project", "is neither the name nor the id of a project of the team"))
			} else if err != nil {
				return err
			}
			q.Project = project.ID
		}
		jobs, next, err = tx.Jobs(p.Team, q)
		return err
	})
	for i := range jobs {
		err = errors.Join(err, c.AddProgress(&jobs[i]), c.OnlyMissing(&jobs[i]))
	}
	return jobs, next, err
}

// CountJobs counts the jobs of the caller's team by status.
func (c *Coordinator) CountJobs(_ context.Context, p farm.Principal) (counts map[farm.JobStatus]int, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		counts, err = tx.CountJobs(p.Team)
		return err
	})
	return counts, err
}

// CancelJobs cancels jobs and those related to them, and returns all that it cancelled. Without force only jobs that no
// machine has begun can be cancelled; with it a machine that renders one is told to stop.
func (c *Coordinator) CancelJobs(ctx context.Context, p farm.Principal, ids []string, force bool) ([]farm.Job, error) {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return nil, err
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		return c.jobsByID(ids, err)
	}
	for _, id := range ids {
		if _, err := c.state.JobOf(p, id); err != nil {
			return nil, err
		}
	}
	res, err := c.state.Apply(ctx, command.CancelJobs{Team: p.Team, IDs: ids, Force: force, At: c.cfg.Now()})
	if err != nil {
		return nil, err
	}
	c.noteCancelled(p, res)
	return res.Jobs, nil
}

// jobsByID reads jobs, unless there is an error already.
func (c *Coordinator) jobsByID(ids []string, err error) (jobs []farm.Job, _ error) {
	if err != nil {
		return nil, err
	}
	err = c.state.View(func(tx *raftstore.Tx) error {
		for _, id := range ids {
			job, err := tx.Job(id)
			if err != nil {
				return err
			}
			jobs = append(jobs, job)
		}
		return nil
	})
	return jobs, err
}

// noteCancelled tells the logs of jobs that had begun.
func (c *Coordinator) noteCancelled(p farm.Principal, res command.Result) {
	for _, t := range res.Tasks {
		if t.Attempt > 0 {
			c.logs.Note(t.Job, "the job was cancelled by "+p.Name)
		}
	}
}

// ReleaseJobs lets held jobs begin, with those nested in them. One that is not held stays as it is; all or none are released.
func (c *Coordinator) ReleaseJobs(ctx context.Context, p farm.Principal, ids []string) ([]farm.Job, error) {
	return c.changeHold(ctx, p, ids, command.ReleaseJobs{Team: p.Team, IDs: ids, At: c.cfg.Now()})
}

// HoldJobs keeps jobs back, with those nested in them, until they are released; machines finish the tasks that they have begun. CodeConflict for one
// that has ended; all or none are held.
func (c *Coordinator) HoldJobs(ctx context.Context, p farm.Principal, ids []string) ([]farm.Job, error) {
	return c.changeHold(ctx, p, ids, command.HoldJobs{Team: p.Team, IDs: ids, At: c.cfg.Now()})
}

// changeHold applies a command that holds jobs or releases them.
func (c *Coordinator) changeHold(ctx context.Context, p farm.Principal, ids []string, cmd command.Command) ([]farm.Job, error) {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return nil, err
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		return c.jobsByID(ids, err)
	}
	for _, id := range ids {
		if _, err := c.state.JobOf(p, id); err != nil {
			return nil, err
		}
	}
	res, err := c.state.Apply(ctx, cmd)
	return res.Jobs, err
}
