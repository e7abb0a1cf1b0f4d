// Package private knows what private jobs keep to themselves: the address of their project and their assets lie apart from the farm's
// state, from the submission of a job (package submission) to its end.
package private

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/cache"
	"overcrank/coordinator/files"
	"overcrank/coordinator/retention"
	"overcrank/coordinator/state"
	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/raftstore"
)

// Jobs are the farm's private jobs. Its methods may be called at the same time.
type Jobs struct {
	state *state.State
	files files.Store
	log   *slog.Logger
	read  cache.Cache[submission.Particulars] // by job
}

// New is the private jobs of a state, which keep what they keep apart in files.
func New(s *state.State, f files.Store, log *slog.Logger) *Jobs {
	return &Jobs{state: s, files: f, log: log}
}

// Forget drops what is remembered of a job that has been erased.
func (j *Jobs) Forget(job string) { j.read.Delete(job) }

// Delete deletes what a job kept apart.
func (j *Jobs) Delete(ctx context.Context, job string) error {
	return j.files.Delete(ctx, submission.PrivateKey(job))
}

// Whole puts into a private job what was set aside. A job that has ended stays as it is when that is gone already.
func (j *Jobs) Whole(ctx context.Context, job farm.Job) (farm.Job, error) {
	if !job.Private || !job.ErasedAt.IsZero() {
		return job, nil
	}
	if p, found := j.read.Get(job.ID); found {
		job.Template.Src, job.Assets = p.Src, slices.Clone(p.Assets)
		return job, nil
	}
	text, err := files.ReadAll(ctx, j.files, submission.PrivateKey(job.ID))
	switch {
	case errors.Is(err, files.ErrNotFound) && job.Status.Ended():
		return job, nil
	case errors.Is(err, files.ErrNotFound):
		return job, farm.Errorf(farm.CodeGone, "the project's address and the assets of job %s are no longer kept; submit it again", job.ID)
	case err != nil:
		return job, fmt.Errorf("reading what job %s keeps to itself: %w", job.ID, err)
	}
	var p submission.Particulars
	if err := json.Unmarshal(text, &p); err != nil {
		return job, fmt.Errorf("reading what job %s keeps to itself: %w", job.ID, err)
	}
	j.read.Put(job.ID, int64(len(text)), p)
	job.Template.Src, job.Assets = p.Src, slices.Clone(p.Assets)
	return job, nil
}

// Discreet takes what a private job keeps to itself out of messages that are about to enter the state. The error says that the storage
// could not be asked what that is: then they may not enter it.
func (j *Jobs) Discreet(ctx context.Context, job farm.Job, messages ...*string) error {
	if !job.Private || len(messages) == 0 {
		return nil
	}
	job, err := j.Whole(ctx, job)
	if errors.Is(err, files.ErrUnreachable) || ctx.Err() != nil {
		return err
	}
	if err != nil {
		j.log.Warn("looking for what a job keeps to itself", "job", job.ID, "error", err)
	}
	s := retention.NewScrubber(job)
	for _, message := range messages {
		*message = s.Line(*message)
	}
	return nil
}

// Sweep drops what jobs kept apart that have been erased, and what was put there before a time for jobs that were not accepted.
func (j *Jobs) Sweep(ctx context.Context, before time.Time) error {
	return j.files.List(ctx, files.Private, func(o files.Object) error {
		id := strings.TrimSuffix(strings.TrimPrefix(o.Key, files.Private+"/"), ".json")
		var job farm.Job
		err := j.state.View(func(tx *raftstore.Tx) (err error) {
			job, err = tx.Job(id)
			return err
		})
		gone := farm.CodeOf(err) == farm.CodeNotFound
		switch {
		case err != nil && !gone:
			return err
		case gone && o.Modified.Before(before), err == nil && !job.ErasedAt.IsZero():
			return j.files.Delete(ctx, o.Key)
		default:
			return nil
		}
	})
}
