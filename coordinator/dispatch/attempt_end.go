package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"overcrank/coordinator/files"
	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/farm/wording"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// An attempt ends in one of these ways. Each is one command, by which the state decides what becomes of the task; the leader's memory
// follows what the command came to (observe).
//
//	finished      its agent reports a result, which has arrived     finish, finishPart    FinishTask
//	failed        its agent reports why there is none               fail                  FailTask, or RedoFrames
//	given back    its agent stopped without being told to           giveBack              ExpireLeases, as returned
//	never begun   its lease could not be put together               neverBegan            FailTask
//	expired       its agent has been silent for a lease time        expire                ExpireLeases
//	cancelled     its job was; the agent has stopped                end                   none: the state knows
//
// Frames that were done before any of these are kept (kept_frames.go). A report's task and job are read once, in end.

// end ends an attempt as its agent reports it, and gives what that came to where the state has taken the report. After an error that is no
// refusal the agent reports it again.
func (l *leader) end(ctx context.Context, s *session, report wire.Message) (after command.Result, err error) {
	at := attemptOf(report)
	l.mu.Lock()
	h := l.liveLocked(s, at)
	cancelled := h != nil && h.cancelled
	if cancelled {
		l.releaseLocked(at.Task, at.Attempt)
	} else if h != nil {
		h.reported = true
	}
	l.mu.Unlock()
	if h == nil {
		return after, l.unheld(ctx, s, at)
	}
	if cancelled {
		return after, nil
	}
	task, job, err := l.d.state.Leased(farm.Agent{ID: h.agent}, at)
	if farm.CodeOf(err) == farm.CodeConflict {
		l.drop(h)
	}
	if err != nil {
		return after, err
	}
	if finished := report.Finished; finished != nil {
		m := *finished
		m.Measured = l.measured(m.Measured)
		return l.finish(ctx, task, job, m)
	}
	m := *report.Failed
	m.Measured = l.measured(m.Measured)
	return l.endEarly(ctx, s, h, task, job, m)
}

// measured is what was measured, without what cannot be and what the farm's level cannot record yet.
func (l *leader) measured(m farm.Measured) farm.Measured {
	if m.Reused != 0 && (m.Reused < 0 || m.Reused > m.Frames || l.d.cluster.Level() < command.ReusedLevel) {
		m.Reused = 0
	}
	return m
}

// drop frees what a lease takes here that the state knows no more.
func (l *leader) drop(h *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.leases[h.Task] == h {
		l.releaseLocked(h.Task, h.Attempt.Attempt)
	}
}

// finish ends an attempt with the result that it names, if that has arrived.
func (l *leader) finish(ctx context.Context, task farm.Task, job farm.Job, m wire.Finished) (after command.Result, err error) {
	if task.Part {
		return l.finishPart(ctx, task, job, m)
	}
	if err := l.d.arrived(ctx, job, m); errors.Is(err, files.ErrUnreachable) {
		return after, err
	} else if err != nil {
		return l.fail(ctx, task, job, wire.Failed{Attempt: m.Attempt, Message: err.Error(), Retry: true, Warnings: m.Warnings})
	}
	out := m.Output
	out.Key, out.Name, out.ContentType = results.Key(job.OutputName), job.OutputName, files.ContentType(job.OutputName)
	if out.Remote != nil {
		out.Key = ""
	}
	m.Warnings = append(slices.Clone(m.Warnings), l.d.engineWarning(job, task.Agent)...)
	return l.writeFinished(ctx, task, job, m, out, wording.Size(out.Size))
}

// finishPart ends an attempt with a part of a job's result, or with pictures to look at.
func (l *leader) finishPart(ctx context.Context, task farm.Task, job farm.Job, m wire.Finished) (after command.Result, err error) {
	var out farm.OutputRef
	task, kept, err := l.keepPieces(ctx, task, job, m.Attempt, m.Before, m.Measured)
	if err == nil {
		out, err = l.d.partOutput(ctx, task, m)
	}
	if refused := (*farm.Error)(nil); errors.As(err, &refused) && refused.Code == farm.CodeInvalid {
		return l.fail(ctx, task, job, wire.Failed{Attempt: m.Attempt, Message: err.Error(), Retry: true, Warnings: m.Warnings, Measured: m.Measured})
	}
	if err != nil {
		return after, err
	}
	if len(kept) > 0 {
		task.Frames = &farm.Frames{Start: kept[0].Start, End: task.Frames.End}
	}
	return l.writeFinished(ctx, task, job, m, out, partWords(task, out))
}

// writeFinished brings an attempt's end with a result into the state. what is the result in the words of the job's log.
func (l *leader) writeFinished(
	ctx context.Context, task farm.Task, job farm.Job, m wire.Finished, out farm.OutputRef, what string,
) (after command.Result, err error) {
	warnings := slices.Clone(m.Warnings)
	if err := l.d.private.Discreet(ctx, job, pointers(warnings)...); err != nil {
		return after, err
	}
	after, err = l.d.state.Apply(ctx, command.FinishTask{
		Task: m.Task, Attempt: m.Attempt.Attempt, Output: out, At: l.d.state.Now(), Warnings: warnings, Measured: m.Measured,
	})
	if err != nil {
		return after, err
	}
	l.noteEnd(task.Agent, job, false)
	l.relearn(job, m.Measured)
	l.d.logs.Note(job.ID, fmt.Sprintf("attempt %d finished: %s", m.Attempt.Attempt, what))
	return after, nil
}

// endEarly ends an attempt without a result: it failed, or its agent gave it back. It may have rendered all that it was asked for all the
// same, before it was to stop.
func (l *leader) endEarly(
	ctx context.Context, s *session, h *lease, task farm.Task, job farm.Job, m wire.Failed,
) (after command.Result, err error) {
	finished, err := l.keepDone(ctx, task, job, m)
	switch {
	case err != nil:
		return after, err
	case finished:
		l.rest(s)
		return after, nil
	case m.Cancelled:
		l.giveBack(ctx, s, h)
		return after, nil
	default:
		return l.fail(ctx, task, job, m)
	}
}

// fail ends an attempt that failed.
func (l *leader) fail(ctx context.Context, task farm.Task, job farm.Job, m wire.Failed) (after command.Result, err error) {
	m.Warnings = slices.Clone(m.Warnings)
	m.Cause = causeOf(task, job, m)
	if err := l.d.private.Discreet(ctx, job, append(pointers(m.Warnings), &m.Message)...); err != nil {
		return after, err
	}
	l.d.logs.Note(job.ID, fmt.Sprintf("attempt %d failed: %s", m.Attempt.Attempt, m.Message))
	if len(m.Bad) > 0 && task.Kind == farm.TaskAssemble {
		if err := l.redo(ctx, job, m); farm.CodeOf(err) != farm.CodeInvalid {
			return after, err
		}
	}
	l.noteEnd(task.Agent, job, true)
	l.d.counters.AttemptFailed(cmp.Or(m.Class, farm.FailureTransient))
	now := l.d.state.Now()
	return l.d.state.Apply(ctx, command.FailTask{
		Task: m.Task, Attempt: m.Attempt.Attempt, Message: m.Message, Retry: m.Retry, Class: m.Class, Warnings: m.Warnings,
		Measured: m.Measured, NotBefore: now.Add(restOf(task, m.Class)), At: now, Cause: l.keptCause(m.Cause),
	})
}

// giveBack makes a task ready again that its agent stopped without being told to. Nothing is wrong with the task.
func (l *leader) giveBack(ctx context.Context, s *session, h *lease) {
	l.d.logs.Note(h.job, fmt.Sprintf("attempt %d was given back by its machine", h.Attempt.Attempt))
	l.rest(s) // before the task is ready again, so that it is not granted to the same machine at once
	l.takeBack(ctx, true, h)
}

// neverBegan ends an attempt whose lease could not be put together, so that its agent never heard of it.
func (l *leader) neverBegan(ctx context.Context, t farm.Task, job farm.Job, cause error) {
	retry := true
	var e *farm.Error
	if errors.As(cause, &e) {
		retry = e.Code == farm.CodeInternal || e.Code == farm.CodeUnavailable
	}
	l.d.logs.Note(t.Job, fmt.Sprintf("attempt %d could not begin: %v", t.Attempt, cause))
	now := l.d.state.Now()
	_, err := l.d.state.Apply(ctx, command.FailTask{
		Task: t.ID, Attempt: t.Attempt, Message: cause.Error(), Retry: retry, NotBefore: now.Add(backOff(t.Failures)), At: now,
		Cause: l.keptCause(causeOfLease(job, cause)),
	})
	if err != nil {
		l.d.log.Error("failing a task", "task", t.ID, "error", err)
	}
}

// expire ends the attempts of agents that have been silent for a lease time.
func (l *leader) expire(ctx context.Context) {
	deadline := l.d.state.Now().Add(-l.d.cfg.Lease)
	var silent, brought []*lease
	l.mu.Lock()
	for _, h := range l.leases {
		if !h.seen.Before(deadline) {
			continue
		}
		if h.cancelled {
			l.releaseLocked(h.Task, h.Attempt.Attempt)
			continue
		}
		if h.brought {
			brought = append(brought, h)
		} else {
			silent = append(silent, h)
		}
	}
	l.mu.Unlock()
	for _, h := range silent {
		l.d.log.Warn("an agent fell silent; its task goes to another", "task", h.Task, "attempt", h.Attempt.Attempt, "agent", h.agent)
		l.d.logs.Note(h.job, fmt.Sprintf("attempt %d ended: its machine has not been heard of for %s", h.Attempt.Attempt, l.d.cfg.Lease))
	}
	for _, h := range brought {
		l.d.logs.Note(h.job, fmt.Sprintf("attempt %d ended: it began before the farm was put back to a backup, and its machine does not work on it now", h.Attempt.Attempt))
	}
	l.takeBack(ctx, false, silent...)
	l.takeBack(ctx, true, brought...)
	for _, h := range slices.Concat(silent, brought) {
		l.d.results.SweepTask(h.Task)
	}
}

// takeBack makes tasks ready again that their agents do not work on. When they were returned, or never arrived, that is no
// failure of theirs; otherwise it counts as one, since they may be what takes machines down.
func (l *leader) takeBack(ctx context.Context, returned bool, leases ...*lease) {
	if len(leases) == 0 {
		return
	}
	cmd := command.ExpireLeases{At: l.d.state.Now(), Returned: returned, Avoided: !returned}
	for _, h := range leases {
		cmd.Leases = append(cmd.Leases, command.Grant{Task: h.Task, Attempt: h.Attempt.Attempt, Agent: h.agent})
	}
	res, err := l.d.state.Apply(ctx, cmd)
	if err != nil {
		if ctx.Err() == nil {
			l.d.log.Warn("taking leases back", "error", err)
		}
		return
	}
	for i, h := range leases {
		if res.Each[i] != nil {
			l.drop(h)
		}
	}
}

// unheld is nil when an attempt that this leader knows no lease of is none of the agent's for certain. A leader that was frozen, and
// replaced, must not have an agent forget what the next one gave to it.
func (l *leader) unheld(ctx context.Context, s *session, at wire.Attempt) error {
	if err := l.d.raft.Fresh(ctx); err != nil {
		return err
	}
	_, _, err := l.d.state.Leased(farm.Agent{ID: s.agent}, at)
	if err == nil {
		return farm.Errorf(farm.CodeUnavailable, "attempt %d of task %s was leased by another leader", at.Attempt, at.Task)
	}
	return err
}

// settle tells the agent that it may forget an attempt, and drops what the attempt left behind, if it was the agent's; after is what its end
// came to. After an error that is not a refusal it may not forget: it tells again.
func (l *leader) settle(s *session, at wire.Attempt, after command.Result, err error) {
	var refused *farm.Error
	if err != nil && (!errors.As(err, &refused) || refused.Code == farm.CodeUnavailable || refused.Code == farm.CodeInternal) {
		l.d.log.Warn("a report could not be kept; the agent will repeat it", "task", at.Task, "attempt", at.Attempt, "error", err)
		return
	}
	s.send(wire.Message{Settled: &wire.Settled{Attempt: at}})
	own := err == nil // it was leased to this agent here
	if !own {
		var unknown error
		if own, unknown = l.d.hadAttempt(s.agent, at); unknown != nil {
			l.d.log.Error("looking whose attempt was reported", "task", at.Task, "attempt", at.Attempt, "error", unknown)
		}
	}
	if !own {
		return
	}
	if task, job, told := endOf(after, at.Task); told {
		l.d.results.SweepEnded(task, job)
		return
	}
	l.d.results.SweepTask(at.Task)
}

// endOf is a task and its job as they are after a command that told both.
func endOf(after command.Result, id string) (task farm.Task, job farm.Job, told bool) {
	i := slices.IndexFunc(after.Tasks, func(t farm.Task) bool { return t.ID == id })
	if i < 0 {
		return task, job, false
	}
	k := slices.IndexFunc(after.Jobs, func(j farm.Job) bool { return j.ID == after.Tasks[i].Job })
	if k < 0 {
		return task, job, false
	}
	return after.Tasks[i], after.Jobs[k], true
}

// hadAttempt says whether an attempt is, or was, an agent's. Of a task with very many attempts the latest are known.
func (d *Dispatcher) hadAttempt(agent string, at wire.Attempt) (had bool, err error) {
	err = d.state.View(func(tx *raftstore.Tx) error {
		task, err := tx.Task(at.Task)
		if farm.CodeOf(err) == farm.CodeNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		if had = task.Attempt == at.Attempt && task.Agent == agent; had {
			return nil
		}
		ended, err := tx.Attempts(at.Task)
		had = slices.ContainsFunc(ended, func(a farm.AttemptRecord) bool { return a.Number == at.Attempt && a.Agent == agent })
		return err
	})
	return had, err
}

func pointers(texts []string) []*string {
	list := make([]*string, len(texts))
	for i := range texts {
		list[i] = &texts[i]
	}
	return list
}
