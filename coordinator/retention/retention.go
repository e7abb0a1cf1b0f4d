// Package retention deletes what the farm keeps no longer. Some time after a job's end, addresses, paths and values are taken out of it and
// its log; its result and its pictures go, and at last its record. What a job must not leave goes at once. Files that nothing names go too.
package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/joblog"
	"overcrank/coordinator/results"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

const (
	roundEvery = time.Minute
	groupSize  = 100 // jobs of one command
	// mostOfRound bounds what one round does for one duty; what is left waits for the next.
	mostOfRound = 5000
)

// Farm is what retention asks of the coordinator that it is at.
type Farm interface {
	// Leads tells whether this node leads: the leader deletes.
	Leads() bool
	// ClockTrusted tells whether what is old by the clock may be deleted.
	ClockTrusted() bool
	// Whole gives a job with what it keeps apart from the state, when it is private.
	Whole(ctx context.Context, job farm.Job) (farm.Job, error)
	// DeleteApart deletes what a private job keeps apart from the state.
	DeleteApart(ctx context.Context, job string) error
	// Changed tells those who watch that a job has changed.
	Changed(job farm.Job)
}

// Config says what is kept, and for how long.
type Config struct {
	RedactAfter, KeepOutputs, KeepHistory time.Duration // after a job's end; 0 means for ever

	Files      files.Store
	Results    *results.Results
	Logs       *joblog.Logs
	SharedLogs bool // several coordinators write them
	Logger     *slog.Logger
}

// Retention deletes what is due some time after the ends of jobs. What is due stands in the state by the time of the end, so a round costs
// what it does, whatever the history holds.
type Retention struct {
	cfg   Config
	farm  Farm
	state *state.State
	work  chan struct{}
	busy  sync.Mutex // held for a round: two at once would find the same jobs, and one of them none any more
}

// New makes the retention of a state. Run has to run.
func New(f Farm, s *state.State, cfg Config) *Retention {
	return &Retention{cfg: cfg, farm: f, state: s, work: make(chan struct{}, 1)}
}

// Wake tells that something must not wait for the next round.
func (r *Retention) Wake() {
	select {
	case r.work <- struct{}{}:
	default:
	}
}

// Run deletes what is due, while this node leads, until ctx ends.
func (r *Retention) Run(ctx context.Context) {
	tick := time.NewTicker(roundEvery)
	defer tick.Stop()
	for {
		if r.farm.Leads() {
			if err := r.Round(ctx); err != nil && ctx.Err() == nil {
				r.cfg.Logger.Error("deleting what is kept no longer", "error", err)
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

// Round does what is due now, as far as one round goes.
func (r *Retention) Round(ctx context.Context) error {
	r.busy.Lock()
	defer r.busy.Unlock()
	var failed []error
	for _, policy := range []struct {
		duty  tables.Duty
		after time.Duration
		do    func(context.Context, []farm.Job) error
	}{
		{tables.DutyErase, 0, r.erase},
		{tables.DutyRedact, r.cfg.RedactAfter, r.redact},
		{tables.DutyOutputs, r.cfg.KeepOutputs, r.deleteOutputs},
		{tables.DutyHistory, r.cfg.KeepHistory, r.purge},
	} {
		if policy.duty != tables.DutyErase && (policy.after == 0 || !r.farm.ClockTrusted()) {
			continue
		}
		failed = append(failed, r.fulfil(ctx, policy.duty, r.state.Now().Add(-policy.after), policy.do))
	}
	return errors.Join(failed...)
}

// fulfil does what is due for the jobs that had ended at a time. A job for which it fails, since one of its files is damaged, waits for the
// next round; it holds up no other.
func (r *Retention) fulfil(ctx context.Context, duty tables.Duty, ended time.Time, do func(context.Context, []farm.Job) error) error {
	var failed []string
	var errs []error
	for done := 0; done < mostOfRound && len(failed) < groupSize && ctx.Err() == nil; {
		var due []farm.Job
		err := r.state.View(func(tx *raftstore.Tx) (err error) {
			due, err = tx.JobsWithDuty(duty, ended, groupSize+len(failed))
			return err
		})
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		due = slices.DeleteFunc(due, func(job farm.Job) bool { return slices.Contains(failed, job.ID) })
		if len(due) == 0 {
			break
		}
		done += len(due)
		if err = do(ctx, due); err == nil {
			continue
		}
		for _, job := range due {
			if ctx.Err() != nil || farm.CodeOf(err) == farm.CodeUnavailable { // which is no job's own
				return errors.Join(append(errs, err)...)
			}
			if err = do(ctx, []farm.Job{job}); err != nil {
				failed, errs = append(failed, job.ID), append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// erase leaves nothing of the projects of private jobs.
func (r *Retention) erase(ctx context.Context, jobs []farm.Job) error {
	whole := make([]farm.Job, len(jobs))
	for i, job := range jobs {
		var err error
		if whole[i], err = r.farm.Whole(ctx, job); err != nil {
			return err
		}
	}
	for _, job := range whole {
		if err := r.cfg.Results.DeletePictures(ctx, job.ID); err != nil {
			return err
		}
	}
	if err := r.redactAs(ctx, whole, true); err != nil {
		return err
	}
	for _, job := range whole {
		if r.cfg.SharedLogs { // a node that led before may have stored its last lines meanwhile; from now on it does not
			if err := r.redactLog(ctx, job.ID, NewScrubber(job)); err != nil {
				return err
			}
		}
		if err := errors.Join(r.cfg.Results.SweepJob(ctx, job.ID), r.farm.DeleteApart(ctx, job.ID), r.sweepFilesOf(ctx, job)); err != nil {
			return err
		}
	}
	return nil
}

// redact takes addresses, paths and values out of jobs.
func (r *Retention) redact(ctx context.Context, jobs []farm.Job) error {
	return r.redactAs(ctx, jobs, false)
}

// redactAs redacts the log of a job before the job forgets what to look for in it.
func (r *Retention) redactAs(ctx context.Context, jobs []farm.Job, erase bool) error {
	cmd := command.RedactJobs{Erase: erase, At: r.state.Now()}
	for _, job := range jobs {
		s := NewScrubber(job)
		if err := r.redactLog(ctx, job.ID, s); err != nil {
			return err
		}
		redaction := command.Redaction{ID: job.ID, Error: s.Line(job.Error)}
		for _, warning := range job.Warnings {
			redaction.Warnings = append(redaction.Warnings, s.Line(warning))
		}
		cmd.Jobs = append(cmd.Jobs, redaction)
	}
	_, err := r.state.Apply(ctx, cmd)
	if !erase { // which comes with the job's end, of which all are told
		r.tell(jobs)
	}
	return err
}

// redactLog takes what is particular out of a job's log, which stays in place as it was until that is done.
func (r *Retention) redactLog(ctx context.Context, job string, s Scrubber) error {
	if err := r.cfg.Logs.Rewrite(ctx, job, s.copy); err != nil {
		return fmt.Errorf("redacting the log of job %s: %w", job, err)
	}
	return nil
}

// deleteOutputs deletes the results and pictures of jobs and of those nested in them, before the state says that they are gone.
func (r *Retention) deleteOutputs(ctx context.Context, jobs []farm.Job) error {
	err := r.eachMember(jobs, func(job farm.Job) error { return r.cfg.Results.Delete(ctx, job) })
	if err != nil {
		return err
	}
	_, err = r.state.Apply(ctx, command.ExpireOutputs{IDs: idsOf(jobs), At: r.state.Now()})
	r.tell(jobs)
	return err
}

// purge deletes the files of jobs and of those nested in them, then their records: a job without its files can be purged once more,
// files without a job could not be found again.
func (r *Retention) purge(ctx context.Context, jobs []farm.Job) error {
	err := r.eachMember(jobs, func(job farm.Job) error {
		return errors.Join(r.cfg.Results.Delete(ctx, job), r.cfg.Logs.Drop(ctx, job.ID))
	})
	if err != nil {
		return err
	}
	_, err = r.state.Apply(ctx, command.PurgeJobs{IDs: idsOf(jobs)})
	r.tell(jobs)
	return err
}

// eachMember visits the ended jobs of families.
func (r *Retention) eachMember(jobs []farm.Job, visit func(farm.Job) error) error {
	for _, job := range jobs {
		var family []farm.Job
		err := r.state.View(func(tx *raftstore.Tx) (err error) {
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

// tell has those who watch look again at what has changed.
func (r *Retention) tell(jobs []farm.Job) {
	for _, job := range jobs {
		r.farm.Changed(job)
	}
}

func idsOf(jobs []farm.Job) []string {
	ids := make([]string, len(jobs))
	for i, job := range jobs {
		ids[i] = job.ID
	}
	return ids
}
