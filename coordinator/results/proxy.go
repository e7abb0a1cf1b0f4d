package results

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// maxProxy is how large a proxy may be, in bytes: at its bit rate that is more than an hour of film.
const maxProxy = 4 << 30

func proxyKey(job string) string { return files.Proxies + "/" + files.Part(job) + ".mp4" }

// ReceiveProxy keeps a small film of a result that one of the agent's leases makes. size is -1 when not known.
func (r *Results) ReceiveProxy(ctx context.Context, a farm.Agent, at wire.Attempt, body io.Reader, size int64) error {
	task, job, err := r.state.Leased(a, at)
	if err != nil {
		return err
	}
	if task.Part || job.Upload != nil {
		return farm.Errorf(farm.CodeInvalid, "the farm keeps no proxy of what task %s makes", task.ID)
	}
	film := bufio.NewReader(body)
	// An MP4 begins with a box of this kind, behind the box's length.
	if head, _ := film.Peek(8); len(head) < 8 || !bytes.Equal(head[4:], []byte("ftyp")) {
		return farm.Errorf(farm.CodeInvalid, "the proxy of job %s is no MP4", job.ID)
	}
	if _, err := r.files.Put(ctx, proxyKey(job.ID), film, files.Limits{Size: size, Max: maxProxy}); err != nil {
		return files.ReceiveError("proxy", err)
	}
	return nil
}

// HasProxy says whether there is a small film of a job's result. The job is known to be the caller's.
func (r *Results) HasProxy(ctx context.Context, job farm.Job) (bool, error) {
	if job.Output == nil || !job.Output.GoneAt.IsZero() {
		return false, nil
	}
	_, err := r.files.Stat(ctx, proxyKey(job.ID))
	if errors.Is(err, files.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for the proxy of job %s: %w", job.ID, err)
	}
	return true, nil
}

// OpenProxy opens the small film of a job's result; CodeNotFound when there is none.
func (r *Results) OpenProxy(ctx context.Context, p farm.Principal, jobID string) (*files.File, error) {
	job, err := r.state.JobOf(p, jobID)
	if err != nil {
		return nil, err
	}
	if job.Output != nil && !job.Output.GoneAt.IsZero() {
		return nil, farm.Errorf(farm.CodeGone, "the result of job %s is no longer kept: the farm deleted it on %s", job.ID, job.Output.GoneAt.UTC().Format(time.DateTime+" UTC"))
	}
	film, err := r.files.Open(ctx, proxyKey(job.ID))
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeNotFound, "job %s has no proxy", job.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the proxy of job %s: %w", job.ID, err)
	}
	return files.NewPicture(film, "proxy.mp4"), nil
}
