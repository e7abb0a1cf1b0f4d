package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/coordinator/retention"
	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/raftstore"
)

// whole puts into a private job what was set aside. A job that has ended stays as it is when that is gone already.
func (c *Coordinator) whole(ctx context.Context, job farm.Job) (farm.Job, error) {
	if !job.Private || !job.ErasedAt.IsZero() {
		return job, nil
	}
	if p, found := c.kept.Get(job.ID); found {
		job.Template.Src, job.Assets = p.Src, slices.Clone(p.Assets)
		return job, nil
	}
	text, err := files.ReadAll(ctx, c.files, submission.PrivateKey(job.ID))
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
	c.kept.Put(job.ID, int64(len(text)), p)
	job.Template.Src, job.Assets = p.Src, slices.Clone(p.Assets)
	return job, nil
}

// discreet takes what a private job keeps to itself out of messages that are about to enter the state. The error says that the storage
// could not be asked what that is: then they may not enter it.
func (c *Coordinator) discreet(ctx context.Context, job farm.Job, messages ...*string) error {
	if !job.Private || len(messages) == 0 {
		return nil
	}
	job, err := c.whole(ctx, job)
	if errors.Is(err, files.ErrUnreachable) || ctx.Err() != nil {
		return err
	}
	if err != nil {
		c.log.Warn("looking for what a job keeps to itself", "job", job.ID, "error", err)
	}
	s := retention.NewScrubber(job)
	for _, message := range messages {
		*message = s.Line(*message)
	}
	return nil
}

// sweepPrivate drops what was set aside for jobs that were not accepted, or that have ended.
func (c *Coordinator) sweepPrivate(ctx context.Context) error {
	before, err := c.retention.UnnamedBefore()
	if err != nil {
		return err
	}
	return c.files.List(ctx, files.Private, func(o files.Object) error {
		id := strings.TrimSuffix(strings.TrimPrefix(o.Key, files.Private+"/"), ".json")
		var job farm.Job
		err := c.store.View(func(tx *raftstore.Tx) (err error) {
			job, err = tx.Job(id)
			return err
		})
		gone := farm.CodeOf(err) == farm.CodeNotFound
		switch {
		case err != nil && !gone:
			return err
		case gone && o.Modified.Before(before), err == nil && !job.ErasedAt.IsZero():
			return c.files.Delete(ctx, o.Key)
		default:
			return nil
		}
	})
}

func pointers(texts []string) []*string {
	list := make([]*string, len(texts))
	for i := range texts {
		list[i] = &texts[i]
	}
	return list
}
