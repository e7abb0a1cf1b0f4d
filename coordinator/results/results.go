// Package results keeps what jobs leave: results, under the attempt that made them until the state has said which attempt counts, and then
// under their public name; and pictures of frames, small and full-size.
package results

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"path/filepath"
	"strings"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/farm/redact"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// maxSound and maxFrameSize bound what a part of a split job may take: no sound, and no frames, of any composition take more.
const (
	maxSound     = 64 << 30
	maxFrameSize = 1 << 30
)

// Farm is what results ask of the coordinator that they are at.
type Farm interface {
	// Spread tells everybody who watches, on all nodes, of an event.
	Spread(ctx context.Context, e farm.Event)
	// RevealUpload gives a job's upload with the values of its secrets, and what conceals them.
	RevealUpload(job farm.Job) (farm.Upload, *redact.Redactor, error)
	// Aside does something with files that may take long, beside the caller where it does.
	Aside(do func(context.Context))
}

// Config says how results are kept.
type Config struct {
	Files     files.Store
	Proofs    *files.Proofs     // of the same
	Transport http.RoundTripper // to storage that is not the farm's
	Logger    *slog.Logger
}

// Results are the results of all jobs. Its methods may be called at the same time.
type Results struct {
	farm      Farm
	state     *state.State
	files     files.Store
	proofs    *files.Proofs
	transport http.RoundTripper
	log       *slog.Logger
	pictured  *pictured
}

// New gives the results of the jobs of a state.
func New(f Farm, s *state.State, cfg Config) *Results {
	return &Results{farm: f, state: s, files: cfg.Files, proofs: cfg.Proofs, transport: cfg.Transport, log: cfg.Logger, pictured: newPictured()}
}

// Key is the key of a job's result, by the last part of its address.
func Key(outputName string) string { return files.Outputs + "/" + outputName }

// RemoteName is what a job's result is called in storage that is not the farm's.
func RemoteName(job farm.Job) string { return job.ID + filepath.Ext(job.OutputName) }

var errNoOutput = farm.Errorf(farm.CodeNotFound, "there is no result at this address, or not yet")

func (r *Results) jobOf(outputName string) (job farm.Job, err error) {
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.JobByOutput(outputName)
		return err
	})
	return job, err
}

// MayOpen is nil when the result at an address is, or will be, one of the caller's team; CodeNotFound otherwise.
func (r *Results) MayOpen(_ context.Context, p farm.Principal, outputName string) error {
	job, err := r.jobOf(outputName)
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && job.Team != p.Team {
		return errNoOutput
	}
	return err
}

// Open opens a result by the last part of its address; CodeNotFound before it exists.
func (r *Results) Open(ctx context.Context, outputName string) (*files.File, error) {
	job, err := r.jobOf(outputName)
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && job.Output == nil {
		return nil, errNoOutput
	}
	if err != nil {
		return nil, err
	}
	switch out := job.Output; {
	case !out.GoneAt.IsZero():
		return nil, farm.Errorf(farm.CodeGone, "the result of job %s is no longer kept: the farm deleted it on %s", job.ID, out.GoneAt.UTC().Format(time.DateTime+" UTC"))
	case out.Remote != nil:
		return nil, farm.Errorf(farm.CodeGone, "the result of job %s was uploaded elsewhere; this farm has no copy", job.ID)
	}
	file, err := r.open(ctx, job)
	if errors.Is(err, files.ErrNotFound) {
		// The state may be a moment ahead of the name, and somebody else may be giving it.
		if err := r.promote(ctx, job); err != nil && !errors.Is(err, files.ErrNotFound) {
			return nil, fmt.Errorf("opening the result of job %s: %w", job.ID, err)
		}
		file, err = r.open(ctx, job)
		if errors.Is(err, files.ErrNotFound) {
			return nil, farm.Errorf(farm.CodeGone, "the result of job %s is no longer kept", job.ID)
		}
	}
	if err != nil {
		return nil, err
	}
	out := files.NewFile(file, job.OutputName, job.Output.SHA256)
	if name := names.File(job.Name); name != "" {
		ext := path.Ext(job.OutputName)
		out.Name = strings.TrimSuffix(name, ext) + ext
	}
	return out, nil
}

func (r *Results) open(ctx context.Context, job farm.Job) (*files.Reader, error) {
	kept := files.Kept{Key: Key(job.OutputName), SHA256: job.Output.SHA256, Size: job.Output.Size}
	return r.proofs.OpenFor(ctx, kept, "the result of job "+job.ID, "submit the job again")
}

// Receive keeps the result of an attempt, under the attempt, until it is promoted or deleted. size is -1 when not known, sha256 "" when it
// is not announced; name gives nothing but its content type. A result that is announced is sent to where it stays; any other is moved there
// once its hash is known, which in shared storage takes as long as it is large.
func (r *Results) Receive(ctx context.Context, a farm.Agent, at wire.Attempt, name string, body io.Reader, size int64, sha256 string) (farm.OutputRef, error) {
	task, _, err := r.state.Leased(a, at)
	if err != nil {
		return farm.OutputRef{}, err
	}
	first := attemptFolder(at) + "/in-" + rand.Text()
	if sha256 != "" {
		if _, err := files.BlobKey(sha256); err != nil {
			return farm.OutputRef{}, farm.Errorf(farm.CodeInvalid, "the announced hash of the result is none: %w", err)
		}
		first = AttemptKey(at, sha256)
	}
	obj, err := r.files.Put(ctx, first, body, files.Limits{Size: size, Max: maxPart(task), SHA256: sha256})
	if err != nil {
		return farm.OutputRef{}, files.ReceiveError("result", err)
	}
	key := AttemptKey(at, obj.SHA256)
	if obj.Key != key {
		if err := r.files.Rename(ctx, obj.Key, key); err != nil {
			return farm.OutputRef{}, fmt.Errorf("keeping the result of task %s: %w", at.Task, err)
		}
	}
	return farm.OutputRef{
		FileRef:     farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: files.Part(name)},
		Key:         key,
		ContentType: files.ContentType(name),
	}, nil
}

// maxPart is how large the part may be that a task gives, 0 for what is no part.
func maxPart(t farm.Task) int64 {
	switch {
	case !t.Part:
		return 0
	case t.Kind == farm.TaskSound || t.Frames == nil:
		return maxSound
	default:
		return int64(t.Frames.Count()+1) * maxFrameSize
	}
}

// ErrNoHash is a report of a result that does not name its hash.
var ErrNoHash = farm.Errorf(farm.CodeInvalid, "Render failed: the machine reported a result without a hash")

// Arrived makes sure that a file has arrived under an attempt.
func (r *Results) Arrived(ctx context.Context, at wire.Attempt, ref farm.FileRef) error {
	if _, err := files.BlobKey(ref.SHA256); err != nil {
		return ErrNoHash
	}
	obj, err := r.files.Stat(ctx, AttemptKey(at, ref.SHA256))
	if err != nil && !errors.Is(err, files.ErrNotFound) {
		return fmt.Errorf("looking for a result: %w", err)
	}
	if err != nil || obj.Size != ref.Size {
		return farm.Errorf(farm.CodeInvalid, "Render failed: the result did not arrive whole")
	}
	return nil
}

// promote gives the result of the attempt that counts its public name. It may be repeated.
func (r *Results) promote(ctx context.Context, job farm.Job) error {
	if job.Output.Remote != nil {
		return nil
	}
	tasks, err := r.tasksOf(job.ID)
	if err != nil {
		return err
	}
	if _, err := r.files.Stat(ctx, Key(job.OutputName)); !errors.Is(err, files.ErrNotFound) {
		return err
	}
	for _, t := range tasks {
		if t.Status != farm.TaskDone {
			continue
		}
		at := wire.Attempt{Task: t.ID, Attempt: t.Attempt}
		err = r.files.Rename(ctx, AttemptKey(at, job.Output.SHA256), Key(job.OutputName))
		if !errors.Is(err, files.ErrNotFound) {
			return err
		}
	}
	return fmt.Errorf("the result of job %s: %w", job.ID, files.ErrNotFound)
}

func (r *Results) tasksOf(job string) (tasks []farm.Task, err error) {
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		tasks, err = tx.TasksOf(job)
		return err
	})
	return tasks, err
}

// Delete deletes a job's result with its proxy, and the pictures of its frames.
func (r *Results) Delete(ctx context.Context, job farm.Job) error {
	return errors.Join(r.files.Delete(ctx, Key(files.Part(job.OutputName))), r.files.Delete(ctx, proxyKey(job.ID)), r.DeletePictures(ctx, job.ID))
}

// DeletePictures deletes the pictures of a job's frames, small and full-size.
func (r *Results) DeletePictures(ctx context.Context, job string) error {
	return errors.Join(r.files.DeleteBelow(ctx, thumbnailFolder(job)), r.files.DeleteBelow(ctx, sampleFolder(job)))
}
