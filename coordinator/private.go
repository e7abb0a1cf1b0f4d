package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/raftstore"
)

// The project's address and the assets of a private job lie in a file of their own, from the job's submission to its end:
// what once was in the state stays in its log, its snapshots and their copies for as long as those are kept.

func privateKey(job string) string { return files.Private + "/" + files.Part(job) + ".json" }

// particulars are the contents of such a file.
type particulars struct {
	Src    string       `json:"src"`
	Assets []farm.Asset `json:"assets,omitempty"`
}

// asideAtOnce is how many files of private jobs are written at once: each waits for the disk, or for the storage.
const asideAtOnce = 16

// setAside takes out of those jobs of a submission that are private what the state must not hold. Files of jobs that are not accepted
// then are swept by the housekeeping: an error does not tell whether a command was committed.
func (s *submission) setAside(ctx context.Context, jobs []farm.Job) error {
	var writing errgroup.Group
	writing.SetLimit(asideAtOnce)
	for i := range jobs {
		if job := &jobs[i]; job.Private {
			writing.Go(func() error { return s.c.setAside(ctx, job) })
		}
	}
	return writing.Wait()
}

func (c *Coordinator) setAside(ctx context.Context, job *farm.Job) error {
	text, err := json.Marshal(particulars{job.Template.Src, job.Assets})
	if err != nil {
		return fmt.Errorf("encoding what job %s keeps to itself: %w", job.ID, err)
	}
	// Like the command behind it, it does not stop when its caller leaves.
	if _, err := c.files.Put(context.WithoutCancel(ctx), privateKey(job.ID), bytes.NewReader(text), files.Limits{Size: int64(len(text))}); err != nil {
		return files.ReceiveError("job", err)
	}
	job.Erase()
	return nil
}

// whole puts into a private job what was set aside. A job that has ended stays as it is when that is gone already.
func (c *Coordinator) whole(ctx context.Context, job farm.Job) (farm.Job, error) {
	if !job.Private || !job.ErasedAt.IsZero() {
		return job, nil
	}
	if p, found := c.kept.Get(job.ID); found {
		job.Template.Src, job.Assets = p.Src, slices.Clone(p.Assets)
		return job, nil
	}
	text, err := files.ReadAll(ctx, c.files, privateKey(job.ID))
	switch {
	case errors.Is(err, files.ErrNotFound) && job.Status.Ended():
		return job, nil
	case errors.Is(err, files.ErrNotFound):
		return job, farm.Errorf(farm.CodeGone, "the project's address and the assets of job %s are no longer kept; submit it again", job.ID)
	case err != nil:
		return job, fmt.Errorf("reading what job %s keeps to itself: %w", job.ID, err)
	}
	var p particulars
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
	s := scrubberOf(job)
	for _, message := range messages {
		*message = s.line(*message)
	}
	return nil
}

// sweepPrivate drops what was set aside for jobs that were not accepted, or that have ended.
func (c *Coordinator) sweepPrivate(ctx context.Context) error {
	before, err := c.unnamedBefore()
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
