package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// receive takes one message of an agent.
func (l *leader) receive(ctx context.Context, s *session, m wire.Message) {
	m.Curb()
	l.mu.Lock()
	s.seen = l.c.cfg.Now()
	if m.Heartbeat != nil {
		for _, at := range m.Heartbeat.Holding {
			l.liveLocked(s, at)
		}
		for _, at := range m.Heartbeat.Sending {
			l.sendingLocked(s, at)
		}
	}
	l.mu.Unlock()
	switch {
	case m.Heartbeat != nil:
		l.noteCached(s, m.Heartbeat.Cached)
		l.notePresence(s, m.Heartbeat.Availability)
		l.tryStorage(s)
	case m.Tried != nil:
		l.tried(s, *m.Tried)
	case m.Inventory != nil, m.Finished != nil, m.Failed != nil:
		l.takeUpReport(ctx, s, m)
	case m.Progress != nil:
		l.progress(s, *m.Progress)
	case m.Log != nil:
		l.lines(s, *m.Log)
	}
}

// liveLocked is the lease that an attempt of this agent names, nil when it is none any more; the agent's word for it
// keeps it alive.
func (l *leader) liveLocked(s *session, at wire.Attempt) *lease {
	h := l.leases[at.Task]
	if h == nil || h.Attempt != at || h.agent != s.agent {
		return nil
	}
	h.seen = s.seen
	return h
}

// What agents tell of an attempt while frames are rendered: the phase, and how much of the attempt at most lies before the first of them,
// in percent.
const (
	phaseOfFrames = "rendering"
	beforeFrames  = 0.5
)

// sendingLocked frees the slot of an attempt that only waits for storage. The queue may have counted it anew since: each session begins
// with all that the machine holds.
func (l *leader) sendingLocked(s *session, at wire.Attempt) {
	h := l.liveLocked(s, at)
	if h == nil || !h.sending && l.sendingOfLocked(s.agent) >= wire.MaxSending {
		return
	}
	h.sending = true
	if !l.queue.Release(h.Task, h.Attempt.Attempt, s.seen) {
		return
	}
	l.wake()
	l.c.hub.spread(farm.Event{Kind: farm.EventMachine, ID: h.agent})
}

// sendingOfLocked counts the leases of a machine that take none of its slots: it could name others in each heartbeat.
func (l *leader) sendingOfLocked(agent string) (n int) {
	for _, h := range l.byAgent[agent] {
		if h.sending {
			n++
		}
	}
	return n
}

// progress notes how far an attempt is. It never falls.
func (l *leader) progress(s *session, p wire.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.liveLocked(s, p.Attempt)
	if h == nil || h.cancelled {
		return
	}
	if !math.IsNaN(p.Percent) {
		h.progress = max(h.progress, min(p.Percent, 100))
	}
	h.frame = max(h.frame, p.Frame)
	h.framesTotal = max(h.framesTotal, p.FramesTotal)
	if p.Phase != "" {
		h.phase = p.Phase
	}
	if h.pace.since.IsZero() && p.Phase == phaseOfFrames && p.Percent > beforeFrames {
		h.pace.since, h.pace.from = l.c.cfg.Now(), h.progress
	}
	l.changedLocked(h)
	e := farm.Event{Kind: farm.EventProgress, Team: h.team, ID: h.job, Progress: h.progress, Frame: h.frame, Phase: h.phase}
	if c := l.courses[h.job]; c != nil {
		o := l.outlookLocked(h.job, c)
		e.Progress, e.Frame, e.Phase = o.progress, o.frame, o.phase
	}
	l.c.hub.report(e)
	for _, outer := range h.outer {
		l.c.hub.report(farm.Event{Kind: farm.EventProgress, Team: h.team, ID: outer})
	}
}

// lines adds to the log of an attempt's job.
func (l *leader) lines(s *session, m wire.Log) {
	l.mu.Lock()
	h := l.liveLocked(s, m.Attempt)
	l.mu.Unlock()
	if h == nil {
		return
	}
	l.c.note(h.job, m.Lines...)
	l.c.hub.spread(farm.Event{Kind: farm.EventLog, Team: h.team, ID: h.job, Lines: m.Lines})
}

// failed ends an attempt without a result.
func (l *leader) failed(ctx context.Context, s *session, m wire.Failed) error {
	l.mu.Lock()
	h := l.liveLocked(s, m.Attempt)
	cancelled := h != nil && h.cancelled
	l.mu.Unlock()
	var finished bool
	var err error
	if h != nil && !cancelled {
		finished, err = l.keepDone(ctx, h, m)
	}
	switch {
	case err != nil:
	case h == nil:
		err = l.unheld(ctx, s, m.Attempt)
	case cancelled:
		l.mu.Lock()
		l.releaseLocked(m.Task, m.Attempt.Attempt)
		l.mu.Unlock()
	case finished:
		l.rest(s)
	case m.Cancelled:
		l.returned(ctx, s, h)
	default:
		err = l.failTask(ctx, h, m)
	}
	return err
}

// unheld is nil when an attempt that this leader knows no lease of is none of the agent's for certain. A leader that was frozen, and
// replaced, must not have an agent forget what the next one gave to it.
func (l *leader) unheld(ctx context.Context, s *session, at wire.Attempt) error {
	if err := l.c.Fresh(ctx); err != nil {
		return err
	}
	_, _, err := l.c.state.Leased(farm.Agent{ID: s.agent}, at)
	if err == nil {
		return farm.Errorf(farm.CodeUnavailable, "attempt %d of task %s was leased by another leader", at.Attempt, at.Task)
	}
	return err
}

// restAfter is how long a machine gets no work after it has given some back: it stops, or its artist is there.
const restAfter = 5 * time.Second

// returned makes a task ready again that its agent stopped without being told to. Nothing is wrong with the task.
func (l *leader) returned(ctx context.Context, s *session, h *lease) {
	l.c.note(h.job, fmt.Sprintf("attempt %d was given back by its machine", h.Attempt.Attempt))
	l.rest(s) // before the task is ready again, so that it is not granted to the same machine at once
	l.takeBack(ctx, true, h)
}

// rest lets a machine rest that has stopped by itself.
func (l *leader) rest(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions[s.agent] == s {
		s.rests = l.c.cfg.Now().Add(restAfter)
		l.placeLocked(s)
	}
}

// wakeMachines ends the rest of machines, and their time aside, when it is over.
func (l *leader) wakeMachines() {
	now := l.c.cfg.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sessions {
		stand := l.standings[s.agent]
		aside := stand.setAside != nil && !stand.setAside.Until.IsZero() && !now.Before(stand.setAside.Until)
		if aside {
			stand.setAside = nil
			l.standings[s.agent] = stand
		}
		rested := !s.rests.IsZero() && !now.Before(s.rests)
		if rested {
			s.rests = time.Time{}
		}
		if rested || aside {
			l.placeLocked(s)
		}
	}
}

func (l *leader) failTask(ctx context.Context, h *lease, m wire.Failed) error {
	var task farm.Task
	var job farm.Job
	err := l.c.store.View(func(tx *raftstore.Tx) (err error) {
		if task, err = tx.Task(m.Task); err != nil {
			return err
		}
		job, err = tx.Job(task.Job)
		return err
	})
	if err != nil {
		return err
	}
	m.Warnings = slices.Clone(m.Warnings)
	if err := l.c.discreet(ctx, job, append(pointers(m.Warnings), &m.Message)...); err != nil {
		return err
	}
	l.c.note(h.job, fmt.Sprintf("attempt %d failed: %s", m.Attempt.Attempt, m.Message))
	if len(m.Bad) > 0 && task.Kind == farm.TaskAssemble {
		if err := l.redo(ctx, h, m); farm.CodeOf(err) != farm.CodeInvalid {
			return err
		}
	}
	l.c.metrics.failures.WithLabelValues(string(cmp.Or(m.Class, farm.FailureTransient))).Inc()
	now := l.c.cfg.Now()
	_, err = l.c.state.Apply(ctx, command.FailTask{
		Task: m.Task, Attempt: m.Attempt.Attempt, Message: m.Message, Retry: m.Retry, Class: m.Class, Warnings: m.Warnings,
		Measured: m.Measured, NotBefore: now.Add(restOf(task, m.Class)), At: now,
	})
	return err
}

// settle tells the agent that it may forget an attempt, and drops what the attempt left behind, if it was the agent's. After an error
// that is not a refusal it may not forget: it tells again.
func (l *leader) settle(s *session, at wire.Attempt, err error) {
	var refused *farm.Error
	if err != nil && (!errors.As(err, &refused) || refused.Code == farm.CodeUnavailable || refused.Code == farm.CodeInternal) {
		l.c.log.Warn("a report could not be kept; the agent will repeat it", "task", at.Task, "attempt", at.Attempt, "error", err)
		return
	}
	s.send(wire.Message{Settled: &wire.Settled{Attempt: at}})
	own, err := l.c.hadAttempt(s.agent, at)
	if err != nil {
		l.c.log.Error("looking whose attempt was reported", "task", at.Task, "attempt", at.Attempt, "error", err)
	}
	if own {
		l.c.results.SweepTask(at.Task)
	}
}

// hadAttempt says whether an attempt is, or was, an agent's. Of a task with very many attempts the latest are known.
func (c *Coordinator) hadAttempt(agent string, at wire.Attempt) (had bool, err error) {
	err = c.store.View(func(tx *raftstore.Tx) error {
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
