package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"overcrank/coordinator/files"
	"overcrank/coordinator/results"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

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
	task, job, err := l.c.state.Leased(farm.Agent{ID: s.agent}, m.Attempt)
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
	out.Key, out.Name, out.ContentType = results.Key(job.OutputName), job.OutputName, files.ContentType(job.OutputName)
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
		return c.results.Arrived(ctx, m.Attempt, m.Output.FileRef)
	}
	if _, err := files.BlobKey(m.Output.SHA256); err != nil {
		return results.ErrNoHash
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
	err := c.state.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.Agent(agent)
		return err
	})
	if err != nil || schedule.HasAfterEffects(a.Inventory) {
		return nil
	}
	return []string{fmt.Sprintf("rendered by the embedded engine: this farm has no After Effects, and the job asks for %s", job.Settings.Engine)}
}
