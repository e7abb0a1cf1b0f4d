package coordinator

import (
	"context"
	"errors"
	"fmt"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/raftstore"
)

// Job finds a job of the caller's team. A private one shows its assets until it ends.
func (c *Coordinator) Job(_ context.Context, p farm.Principal, id string) (farm.Job, error) {
	job, err := c.teamJob(p, id)
	if err != nil {
		return farm.Job{}, err
	}
	if !job.Status.Ended() {
		whole, err := c.whole(job)
		if err == nil {
			job = whole
		} else if farm.CodeOf(err) != farm.CodeGone {
			return farm.Job{}, err
		}
	}
	return job, c.addProgress(&job)
}

func (c *Coordinator) teamJob(p farm.Principal, id string) (farm.Job, error) {
	var job farm.Job
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.Job(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && job.Team != p.Team {
		return farm.Job{}, farm.Errorf(farm.CodeNotFound, "there is no job %q", id)
	}
	return job, err
}

// Jobs lists jobs of the caller's team. next is the cursor of the page that follows, "" after the last.
func (c *Coordinator) Jobs(_ context.Context, p farm.Principal, q farm.JobQuery) (jobs []farm.Job, next string, err error) {
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		jobs, next, err = tx.Jobs(p.Team, q)
		return err
	})
	for i := range jobs {
		err = errors.Join(err, c.addProgress(&jobs[i]))
	}
	return jobs, next, err
}

// CountJobs counts the jobs of the caller's team by status.
func (c *Coordinator) CountJobs(_ context.Context, p farm.Principal) (counts map[farm.JobStatus]int, err error) {
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		counts, err = tx.CountJobs(p.Team)
		return err
	})
	return counts, err
}

// CancelJobs cancels jobs and those related to them, and returns all that it cancelled. Without force only jobs that no
// machine has begun can be cancelled; with it a machine that renders one is told to stop.
func (c *Coordinator) CancelJobs(ctx context.Context, p farm.Principal, ids []string, force bool) ([]farm.Job, error) {
	if ids, before, err := made(ctx); before || err != nil {
		return c.jobsByID(ids, err)
	}
	for _, id := range ids {
		if _, err := c.teamJob(p, id); err != nil {
			return nil, err
		}
	}
	res, err := c.apply(ctx, raftstore.CancelJobs{Team: p.Team, IDs: ids, Force: force, At: c.cfg.Now()})
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
	err = c.store.View(func(tx *raftstore.Tx) error {
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
func (c *Coordinator) noteCancelled(p farm.Principal, res raftstore.Result) {
	for _, t := range res.Tasks {
		if t.Attempt > 0 {
			c.note(t.Job, "the job was cancelled by "+p.Name)
		}
	}
}

// ReleaseJobs lets held jobs begin, with those nested in them. One that is not held stays as it is; all or none are released.
func (c *Coordinator) ReleaseJobs(ctx context.Context, p farm.Principal, ids []string) ([]farm.Job, error) {
	if ids, before, err := made(ctx); before || err != nil {
		return c.jobsByID(ids, err)
	}
	for _, id := range ids {
		if _, err := c.teamJob(p, id); err != nil {
			return nil, err
		}
	}
	res, err := c.apply(ctx, raftstore.ReleaseJobs{Team: p.Team, IDs: ids, At: c.cfg.Now()})
	return res.Jobs, err
}

// WhyWaiting says in a sentence why a job that has not started waits; "" for one that has.
func (c *Coordinator) WhyWaiting(ctx context.Context, p farm.Principal, id string) (string, error) {
	job, err := c.teamJob(p, id)
	if err != nil {
		return "", err
	}
	if !job.Status.Waiting() {
		return "", nil
	}
	if job.Hold {
		return "The job is held: it starts when it is released.", nil
	}
	if job.Status == farm.JobPending {
		return c.whyPending(job)
	}
	if job.Template.ID != "" {
		t, err := c.Template(ctx, p, job.Template.ID)
		if err != nil {
			return "", err
		}
		switch t.Status {
		case farm.TemplateAwaitingUpload:
			return fmt.Sprintf("Template %q has not been uploaded yet.", t.DisplayName), nil
		case farm.TemplateDownloading:
			return fmt.Sprintf("Template %q is still being downloaded.", t.DisplayName), nil
		case farm.TemplateProcessing:
			return fmt.Sprintf("Template %q is still being read.", t.DisplayName), nil
		}
	}
	return c.whyNotLeased(job)
}

// whyPending counts the nested jobs that a job still waits for.
func (c *Coordinator) whyPending(job farm.Job) (string, error) {
	finished := 0
	err := c.store.View(func(tx *raftstore.Tx) error {
		for _, id := range job.Children {
			child, err := tx.Job(id)
			if err != nil {
				return err
			}
			if child.Status == farm.JobFinished {
				finished++
			}
		}
		return nil
	})
	return fmt.Sprintf("The job waits for its nested jobs: %d of %d have finished.", finished, len(job.Children)), err
}

func (c *Coordinator) whyNotLeased(job farm.Job) (string, error) {
	now := c.cfg.Now()
	if job.NotBefore.After(now) {
		return "The job starts not before " + waitTime(job.NotBefore) + ".", nil
	}
	var tasks []farm.Task
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		tasks, err = tx.TasksOf(job.ID)
		return err
	})
	if err != nil {
		return "", err
	}
	var avoid []string
	for _, t := range tasks {
		if t.Status == farm.TaskReady {
			avoid = t.Avoid
		}
		if t.Status == farm.TaskReady && t.NotBefore.After(now) {
			return fmt.Sprintf("Attempt %d failed (%s); the next one starts at %s.", t.Attempt, t.Error, waitTime(t.NotBefore)), nil
		}
	}
	l := c.leading()
	if l == nil {
		return "The farm has no leader at the moment.", nil
	}
	l.mu.Lock()
	need := schedule.NeedOf(job, len(l.adobe) > 0)
	s := l.queue.Standing(need, job.RequireTags, avoid)
	l.mu.Unlock()
	return standingSentence(s, need, job), nil
}

func standingSentence(s schedule.Standing, need schedule.Engine, job farm.Job) string {
	switch {
	case s.Online == 0:
		return "No machine is online."
	case s.Fitting == 0 && len(job.RequireTags) > 0:
		return fmt.Sprintf("None of the %s online has all the tags %s%s.", machines(s.Online), quoteAll(job.RequireTags), engineToo(need))
	case s.Fitting == 0 && need == schedule.EngineAfterEffects:
		return fmt.Sprintf("None of the %s online has After Effects.", machines(s.Online))
	case s.Fitting == 0 && need != schedule.EngineAny:
		return fmt.Sprintf("None of the %s online has the After Effects that the job asks for (%s).", machines(s.Online), need)
	case s.Fitting == 0:
		return fmt.Sprintf("None of the %s online has a renderer.", machines(s.Online))
	case s.Free == 0 && s.Fitting == 1:
		return "The only machine that fits is busy."
	case s.Free == 0:
		return fmt.Sprintf("All %s that fit are busy.", machines(s.Fitting))
	case s.Untried == 0 && s.Failed < s.Fitting:
		return "Only machines that failed it before are free. It waits for another."
	default:
		return "A machine is about to take it."
	}
}

func machines(n int) string {
	if n == 1 {
		return "1 machine"
	}
	return fmt.Sprintf("%d machines", n)
}

func engineToo(need schedule.Engine) string {
	switch need {
	case schedule.EngineAny:
		return ""
	case schedule.EngineAfterEffects:
		return " and After Effects"
	default:
		return " and " + string(need)
	}
}
