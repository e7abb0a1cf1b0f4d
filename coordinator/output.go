package coordinator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Results lie under the attempt that made them, named by their content, until the state has said which attempt counts;
// then that one takes the name by which it is public, and the others go.

func taskFolder(task string) string { return files.Attempts + "/" + task }

func attemptFolder(at wire.Attempt) string {
	return taskFolder(at.Task) + "/" + strconv.Itoa(at.Attempt)
}

func attemptKey(at wire.Attempt, sha256 string) string { return attemptFolder(at) + "/" + sha256 }

func outputKey(outputName string) string { return files.Outputs + "/" + outputName }

// OutputAddress is the public address of a job's result, known from its creation on.
func (c *Coordinator) OutputAddress(j farm.Job) string { return outputAddress(c.PublicAddress(), j) }

// outputAddress is OutputAddress for callers who know the farm by a base address.
func outputAddress(base string, j farm.Job) string {
	if j.Address != "" {
		return j.Address
	}
	return base + outputsPath + j.OutputName
}

var errNoOutput = farm.Errorf(farm.CodeNotFound, "there is no result at this address, or not yet")

// OutputFor is nil when the result at an address is, or will be, one of the caller's team; CodeNotFound otherwise.
func (c *Coordinator) OutputFor(_ context.Context, p farm.Principal, outputName string) error {
	var job farm.Job
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.JobByOutput(outputName)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && job.Team != p.Team {
		return errNoOutput
	}
	return err
}

// OpenOutput opens a result by the last part of its address; CodeNotFound before it exists.
func (c *Coordinator) OpenOutput(ctx context.Context, outputName string) (*files.File, error) {
	var job farm.Job
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		job, err = tx.JobByOutput(outputName)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && job.Output == nil {
		return nil, errNoOutput
	}
	if err != nil {
		return nil, err
	}
	switch out := job.Output; {
	case !out.GoneAt.IsZero():
		return nil, farm.Errorf(farm.CodeGone, "the result of job %s is no longer kept: the farm dropped it on %s", job.ID, waitTime(out.GoneAt))
	case out.Remote != nil:
		return nil, farm.Errorf(farm.CodeGone, "the result of job %s was uploaded elsewhere; this farm has no copy", job.ID)
	}
	open := func() (*files.Reader, error) {
		kept := files.Kept{Key: outputKey(job.OutputName), SHA256: job.Output.SHA256, Size: job.Output.Size}
		return c.proofs.OpenFor(ctx, kept, "the result of job "+job.ID, "submit the job again")
	}
	r, err := open()
	if errors.Is(err, files.ErrNotFound) {
		// The state may be a moment ahead of the name, and somebody else may be giving it.
		if err := c.promote(ctx, job); err != nil && !errors.Is(err, files.ErrNotFound) {
			return nil, fmt.Errorf("opening the result of job %s: %w", job.ID, err)
		}
		r, err = open()
		if errors.Is(err, files.ErrNotFound) {
			return nil, farm.Errorf(farm.CodeGone, "the result of job %s is no longer kept", job.ID)
		}
	}
	if err != nil {
		return nil, err
	}
	out := files.NewFile(r, job.OutputName, job.Output.SHA256)
	if name := names.File(job.Name); name != "" {
		ext := path.Ext(job.OutputName)
		out.Name = strings.TrimSuffix(name, ext) + ext
	}
	return out, nil
}

// leased finds the task of an attempt that this agent has the lease of.
func (c *Coordinator) leased(a farm.Agent, at wire.Attempt) (task farm.Task, job farm.Job, err error) {
	err = c.store.View(func(tx *raftstore.Tx) error {
		var err error
		if task, err = tx.Task(at.Task); err != nil {
			return err
		}
		job, err = tx.Job(task.Job)
		return err
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		return task, job, err
	}
	if err != nil || task.Status != farm.TaskLeased || task.Attempt != at.Attempt || task.Agent != a.ID {
		return task, job, farm.Errorf(farm.CodeConflict, "attempt %d of task %s is not this agent's any more", at.Attempt, at.Task)
	}
	return task, job, nil
}

// ReceiveOutput keeps the result of an attempt, under the attempt, until it is promoted or dropped. size is -1 when not
// known, sha256 "" when it is not announced; name gives nothing but its content type. A result that is announced is sent to where it
// stays; any other is moved there once its hash is known, which in shared storage takes as long as it is large.
func (c *Coordinator) ReceiveOutput(ctx context.Context, a farm.Agent, at wire.Attempt, name string, body io.Reader, size int64, sha256 string) (farm.OutputRef, error) {
	task, _, err := c.leased(a, at)
	if err != nil {
		return farm.OutputRef{}, err
	}
	first := attemptFolder(at) + "/in-" + rand.Text()
	if sha256 != "" {
		if _, err := files.BlobKey(sha256); err != nil {
			return farm.OutputRef{}, farm.Errorf(farm.CodeInvalid, "the announced hash of the result is none: %w", err)
		}
		first = attemptKey(at, sha256)
	}
	obj, err := c.files.Put(ctx, first, body, files.Limits{Size: size, Max: maxPart(task), SHA256: sha256})
	if err != nil {
		return farm.OutputRef{}, files.ReceiveError("result", err)
	}
	key := attemptKey(at, obj.SHA256)
	if obj.Key != key {
		if err := c.files.Rename(ctx, obj.Key, key); err != nil {
			return farm.OutputRef{}, fmt.Errorf("keeping the result of task %s: %w", at.Task, err)
		}
	}
	return farm.OutputRef{
		FileRef:     farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: files.Part(name)},
		Key:         key,
		ContentType: files.ContentType(name),
	}, nil
}

// finished ends an attempt well, if the result that it names has arrived under it.
func (l *leader) finished(ctx context.Context, s *session, m wire.Finished) error {
	l.mu.Lock()
	h := l.liveLocked(s, m.Attempt)
	cancelled := h != nil && h.cancelled
	if cancelled {
		l.releaseLocked(m.Task, m.Attempt.Attempt)
	}
	l.mu.Unlock()
	var err error
	switch {
	case h == nil:
		err = l.unheld(ctx, s, m.Attempt)
	case !cancelled:
		err = l.finishTask(ctx, s, h, m)
	}
	return err
}

func (l *leader) finishTask(ctx context.Context, s *session, h *lease, m wire.Finished) error {
	task, job, err := l.c.leased(farm.Agent{ID: s.agent}, m.Attempt)
	if err != nil {
		return err
	}
	if task.Part {
		return l.finishPart(ctx, h, m)
	}
	if err := l.c.arrived(ctx, job, m); errors.Is(err, files.ErrUnreachable) {
		return err
	} else if err != nil {
		return l.failTask(ctx, h, wire.Failed{Attempt: m.Attempt, Message: err.Error(), Retry: true, Warnings: m.Warnings})
	}
	out := m.Output
	out.Key, out.Name, out.ContentType = outputKey(job.OutputName), job.OutputName, files.ContentType(job.OutputName)
	if out.Remote != nil {
		out.Key = ""
	}
	warnings := append(slices.Clone(m.Warnings), l.c.engineWarning(job, s.agent)...)
	if err := l.c.discreet(ctx, job, pointers(warnings)...); err != nil {
		return err
	}
	cmd := command.FinishTask{
		Task: m.Task, Attempt: m.Attempt.Attempt, Output: out, At: l.c.cfg.Now(), Warnings: warnings, Measured: m.Measured,
	}
	if _, err := l.c.state.Apply(ctx, cmd); err != nil {
		return err
	}
	l.relearn(job, m.Measured)
	l.c.note(job.ID, fmt.Sprintf("attempt %d finished: %d bytes", m.Attempt.Attempt, out.Size))
	return nil
}

// arrived checks that the result which an agent reports is where the job wants it: what the store got under this attempt,
// or what the job's upload asks for.
func (c *Coordinator) arrived(ctx context.Context, job farm.Job, m wire.Finished) error {
	if job.Upload == nil && m.Output.Remote == nil {
		return c.arrivedHere(ctx, m.Attempt, m.Output.FileRef)
	}
	if _, err := files.BlobKey(m.Output.SHA256); err != nil {
		return errNoHash
	}
	return delivered(job, m.Output.Remote)
}

// delivered compares where an agent says it put a result with where the job wants it.
func delivered(job farm.Job, to *farm.RemoteObject) error {
	if to == nil {
		return farm.Errorf(farm.CodeInvalid, "Upload failed: the machine's agent is too old to upload results; update it")
	}
	if job.Upload != nil {
		want, err := job.Upload.Object(job.RemoteName())
		want.InHost = to.InHost // which only the storage can tell
		if err == nil && *to == want {
			return nil
		}
	}
	return farm.Errorf(farm.CodeInvalid, "Upload failed: the machine put the result elsewhere than the job asks for")
}

// engineWarning tells of a job that asked for an After Effects and was rendered by a machine without any.
func (c *Coordinator) engineWarning(job farm.Job, agent string) []string {
	if job.Settings.Engine == "" || job.Preview {
		return nil
	}
	var a farm.Agent
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.Agent(agent)
		return err
	})
	if err != nil || schedule.HasAfterEffects(a.Inventory) {
		return nil
	}
	return []string{fmt.Sprintf("rendered by the embedded engine: this farm has no After Effects, and the job asks for %s", job.Settings.Engine)}
}

// promote gives the result of the attempt that counts its public name. It may be repeated.
func (c *Coordinator) promote(ctx context.Context, job farm.Job) error {
	if job.Output.Remote != nil {
		return nil
	}
	var tasks []farm.Task
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		tasks, err = tx.TasksOf(job.ID)
		return err
	})
	if err != nil {
		return err
	}
	if _, err := c.files.Stat(ctx, outputKey(job.OutputName)); !errors.Is(err, files.ErrNotFound) {
		return err
	}
	for _, t := range tasks {
		if t.Status != farm.TaskDone {
			continue
		}
		at := wire.Attempt{Task: t.ID, Attempt: t.Attempt}
		err = c.files.Rename(ctx, attemptKey(at, job.Output.SHA256), outputKey(job.OutputName))
		if !errors.Is(err, files.ErrNotFound) {
			return err
		}
	}
	return fmt.Errorf("the result of job %s: %w", job.ID, files.ErrNotFound)
}

// sweepTask drops what attempts of a task left behind that do not count any more.
func (c *Coordinator) sweepTask(id string) {
	c.storage.Aside(func(ctx context.Context) {
		if err := c.sweepAttempts(ctx, id); err != nil && ctx.Err() == nil {
			c.log.Error("dropping results that do not count", "task", id, "error", err)
		}
	})
}

// sweepAttempts is for tasks that the farm has. What lies under the name of another is left to the housekeeping, which goes by the
// names of the files: a name that comes from outside may be made to mean another task's folder.
func (c *Coordinator) sweepAttempts(ctx context.Context, id string) error {
	left, err := c.leftBehind(id)
	switch {
	case err != nil, left.unknown:
		return err
	case left.over:
		return c.settleAttempts(ctx, id, left)
	}
	return c.files.List(ctx, taskFolder(id), func(o files.Object) error {
		if left.stays(o.Key) {
			return nil
		}
		return c.files.DeleteBelow(ctx, strings.TrimSuffix(o.Key, "/"))
	})
}

// leftBehind says what becomes of the files of a task's attempts.
type leftBehind struct {
	unknown bool      // there is no such task
	over    bool      // the task is at an end: all may go
	counts  []string  // otherwise, folders of attempts that may still come to something
	last    int       // otherwise, the number of the latest attempt: one with a higher number may have begun since
	result  *farm.Job // whose result may be among them and has to take its name first; nil for none
}

// stays says of a file, or a folder whose key ends in a slash, of a task that is not at an end, whether it may still be needed.
func (l leftBehind) stays(key string) bool {
	if slices.ContainsFunc(l.counts, func(folder string) bool { return strings.HasPrefix(key, folder) }) {
		return true
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(key, files.Attempts+"/"), "/")
	number, _, _ := strings.Cut(rest, "/")
	n, err := strconv.Atoi(number)
	return err == nil && n > l.last
}

func (c *Coordinator) leftBehind(id string) (left leftBehind, err error) {
	var task farm.Task
	var job farm.Job
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		if task, err = tx.Task(id); err != nil {
			return err
		}
		job, err = tx.JobHead(task.Job)
		return err
	})
	switch {
	case farm.CodeOf(err) == farm.CodeNotFound:
		return leftBehind{unknown: true}, nil
	case err != nil:
		return left, err
	}
	left.over = job.Status.Ended() || task.Status == farm.TaskDone && len(task.Parts) == 0
	left.counts, left.last = countingAttempts(task), task.Attempt
	if task.Status == farm.TaskDone && job.Output != nil {
		left.result = &job
	}
	return left, nil
}

// settleAttempts drops all files of a task's attempts, once a result among them has its name.
func (c *Coordinator) settleAttempts(ctx context.Context, id string, left leftBehind) error {
	if left.result != nil {
		if err := c.promote(ctx, *left.result); err != nil && !errors.Is(err, files.ErrNotFound) {
			return err
		}
	}
	return c.files.DeleteBelow(ctx, taskFolder(files.Part(id)))
}

// countingAttempts are the folders of the attempts of a task that may still come to something.
func countingAttempts(task farm.Task) []string {
	numbers := make([]int, 0, len(task.Parts)+1)
	if task.Status == farm.TaskLeased {
		numbers = append(numbers, task.Attempt)
	}
	for _, part := range task.Parts {
		numbers = append(numbers, part.Attempt)
	}
	folders := make([]string, len(numbers))
	for i, n := range numbers {
		folders[i] = attemptFolder(wire.Attempt{Task: task.ID, Attempt: n}) + "/"
	}
	return folders
}
