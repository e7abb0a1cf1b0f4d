package coordinator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	retainEvery = time.Minute
	retainGroup = 100 // jobs of one command
	// retainMost bounds what one round does for one duty; what is left waits for the next.
	retainMost = 5000
	// ownFileGrace is how long bytes stay at least that a job brought with it: the same may be on their way again.
	ownFileGrace = time.Minute
)

// retaining does what is due some time after the ends of jobs: it redacts, drops results, forgets. What is due stands in
// the state by the time of the end, so a round costs what it does, whatever the history holds.
type retaining struct {
	c    *Coordinator
	work chan struct{}
	busy sync.Mutex // held for a round: two at once would find the same jobs, and one of them none any more
}

func newRetaining(c *Coordinator) *retaining {
	return &retaining{c: c, work: make(chan struct{}, 1)}
}

// wake tells that something must not wait for the next round.
func (r *retaining) wake() {
	select {
	case r.work <- struct{}{}:
	default:
	}
}

func (r *retaining) run(ctx context.Context) {
	tick := time.NewTicker(retainEvery)
	defer tick.Stop()
	for {
		if r.c.leading() != nil {
			if err := r.round(ctx); err != nil && ctx.Err() == nil {
				r.c.log.Error("dropping what is kept no longer", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-r.work:
		case <-tick.C:
		}
	}
}

// round does what is due now, as far as one round goes.
func (r *retaining) round(ctx context.Context) error {
	r.busy.Lock()
	defer r.busy.Unlock()
	cfg := r.c.cfg
	for _, policy := range []struct {
		duty  raftstore.Duty
		after time.Duration
		do    func(context.Context, []farm.Job) error
	}{
		{raftstore.DutyErase, 0, r.erase},
		{raftstore.DutyRedact, cfg.RedactAfter, r.redact},
		{raftstore.DutyOutputs, cfg.KeepOutputs, r.dropOutputs},
		{raftstore.DutyHistory, cfg.KeepHistory, r.forget},
	} {
		if policy.duty != raftstore.DutyErase && (policy.after == 0 || !r.c.clock.trusted()) {
			continue
		}
		for done := 0; done < retainMost && ctx.Err() == nil; {
			var due []farm.Job
			err := r.c.store.View(func(tx *raftstore.Tx) (err error) {
				due, err = tx.JobsWithDuty(policy.duty, cfg.Now().Add(-policy.after), retainGroup)
				return err
			})
			if err != nil {
				return err
			}
			if len(due) == 0 {
				break
			}
			done += len(due)
			if err := policy.do(ctx, due); err != nil {
				return err
			}
		}
	}
	return nil
}

// erase leaves nothing of the projects of jobs whose projects must not be kept.
func (r *retaining) erase(ctx context.Context, jobs []farm.Job) error {
	whole := make([]farm.Job, len(jobs))
	for i, job := range jobs {
		var err error
		if whole[i], err = r.c.whole(ctx, job); err != nil {
			return err
		}
	}
	for _, job := range whole {
		if err := r.c.dropPictures(ctx, job.ID); err != nil {
			return err
		}
	}
	if err := r.redactAs(ctx, whole, true); err != nil {
		return err
	}
	for _, job := range whole {
		if r.c.storage.Shared() != nil { // a node that led before may have stored its last lines meanwhile; from now on it does not
			if err := r.c.rewriteLog(ctx, job.ID, scrubberOf(job)); err != nil {
				return err
			}
		}
		if err := errors.Join(r.c.sweepJob(ctx, job.ID), r.c.files.Delete(ctx, submission.PrivateKey(job.ID)), r.c.sweepOwnFiles(ctx, job)); err != nil {
			return err
		}
	}
	return nil
}

// redact takes addresses, paths and values out of jobs.
func (r *retaining) redact(ctx context.Context, jobs []farm.Job) error {
	return r.redactAs(ctx, jobs, false)
}

// redactAs rewrites the log of a job before the job forgets what to look for in it.
func (r *retaining) redactAs(ctx context.Context, jobs []farm.Job, erase bool) error {
	cmd := command.RedactJobs{Erase: erase, At: r.c.cfg.Now()}
	for _, job := range jobs {
		s := scrubberOf(job)
		if err := r.c.rewriteLog(ctx, job.ID, s); err != nil {
			return err
		}
		redaction := command.Redaction{ID: job.ID, Error: s.line(job.Error)}
		for _, warning := range job.Warnings {
			redaction.Warnings = append(redaction.Warnings, s.line(warning))
		}
		cmd.Jobs = append(cmd.Jobs, redaction)
	}
	_, err := r.c.state.Apply(ctx, cmd)
	if !erase { // of which nobody has to learn beside the end itself
		r.tell(jobs)
	}
	return err
}

// dropOutputs drops the results and pictures of jobs and of those nested in them, before the state says that they are gone.
func (r *retaining) dropOutputs(ctx context.Context, jobs []farm.Job) error {
	err := r.eachMember(jobs, func(job farm.Job) error { return r.c.dropResult(ctx, job) })
	if err != nil {
		return err
	}
	_, err = r.c.state.Apply(ctx, command.ExpireOutputs{IDs: idsOf(jobs), At: r.c.cfg.Now()})
	r.tell(jobs)
	return err
}

// forget drops the files of jobs and of those nested in them, then their records: a job without its files can be dropped
// once more, files without a job could not be found again.
func (r *retaining) forget(ctx context.Context, jobs []farm.Job) error {
	err := r.eachMember(jobs, func(job farm.Job) error {
		return errors.Join(r.c.dropResult(ctx, job), r.c.logs.Drop(ctx, job.ID))
	})
	if err != nil {
		return err
	}
	_, err = r.c.state.Apply(ctx, command.PurgeJobs{IDs: idsOf(jobs)})
	r.tell(jobs)
	return err
}

// eachMember visits the ended jobs of families.
func (r *retaining) eachMember(jobs []farm.Job, visit func(farm.Job) error) error {
	for _, job := range jobs {
		var family []farm.Job
		err := r.c.store.View(func(tx *raftstore.Tx) (err error) {
			family, err = tx.Family(job.ID)
			return err
		})
		if err != nil {
			return err
		}
		for _, member := range family {
			if !member.Status.Ended() {
				continue
			}
			if err := visit(member); err != nil {
				return fmt.Errorf("job %s: %w", member.ID, err)
			}
		}
	}
	return nil
}

// dropResult drops a job's result and the pictures of its frames.
func (c *Coordinator) dropResult(ctx context.Context, job farm.Job) error {
	return errors.Join(c.files.Delete(ctx, outputKey(files.Part(job.OutputName))), c.dropPictures(ctx, job.ID))
}

// dropPictures drops the pictures of a job's frames, small and large.
func (c *Coordinator) dropPictures(ctx context.Context, job string) error {
	return errors.Join(c.files.DeleteBelow(ctx, thumbnailFolder(job)), c.files.DeleteBelow(ctx, sampleFolder(job)))
}

// sweepOwnFiles drops the bytes of files that nothing names any more, as far as they cannot have come again just now; the
// housekeeping drops the others.
func (c *Coordinator) sweepOwnFiles(ctx context.Context, job farm.Job) error {
	var err error
	for _, sha256 := range job.KeptFiles() {
		key, bad := files.BlobKey(sha256)
		if bad == nil {
			err = errors.Join(err, c.sweepBlob(ctx, key, time.Now().Add(-ownFileGrace)))
		}
	}
	return err
}

// tell lets watchers look again at what has changed.
func (r *retaining) tell(jobs []farm.Job) {
	for _, job := range jobs {
		r.c.hub.spread(farm.Event{Kind: farm.EventJob, Team: job.Team, ID: job.ID})
	}
}

func idsOf(jobs []farm.Job) []string {
	ids := make([]string, len(jobs))
	for i, job := range jobs {
		ids[i] = job.ID
	}
	return ids
}
