package submission

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"overcrank/coordinator/files"
	"overcrank/farm"
)

// PrivateKey is where a file lies with the project's address and the assets of a private job, from the job's submission to its end: what
// once was in the state stays in its log, its snapshots and their copies for as long as those are kept.
func PrivateKey(job string) string { return files.Private + "/" + files.Part(job) + ".json" }

// Particulars are the contents of such a file.
type Particulars struct {
	Src    string       `json:"src"`
	Assets []farm.Asset `json:"assets,omitempty"`
}

// asideAtOnce is how many files of private jobs are written at once: each waits for the disk, or for the storage.
const asideAtOnce = 16

// setAside takes out of those jobs of a submission that are private what the state must not hold. Files of jobs that are not accepted
// then are swept by the housekeeping: an error does not tell whether a command was committed.
func (s *Submitter) setAside(ctx context.Context, jobs []farm.Job) error {
	if !slices.ContainsFunc(jobs, func(j farm.Job) bool { return j.Private }) {
		return nil
	}
	var writing errgroup.Group
	writing.SetLimit(asideAtOnce)
	for i := range jobs {
		if job := &jobs[i]; job.Private {
			writing.Go(func() error { return s.setJobAside(ctx, job) })
		}
	}
	return writing.Wait()
}

func (s *Submitter) setJobAside(ctx context.Context, job *farm.Job) error {
	text, err := json.Marshal(Particulars{job.Template.Src, job.Assets})
	if err != nil {
		return fmt.Errorf("encoding what job %s keeps to itself: %w", job.ID, err)
	}
	// Like the command behind it, it does not stop when its caller leaves.
	if _, err := s.files.Put(context.WithoutCancel(ctx), PrivateKey(job.ID), bytes.NewReader(text), files.Limits{Size: int64(len(text))}); err != nil {
		return files.ReceiveError("job", err)
	}
	job.Erase()
	return nil
}
