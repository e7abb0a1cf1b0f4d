package dispatch

import (
	"context"
	"math"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// receive takes one message of an agent.
func (l *leader) receive(ctx context.Context, s *session, m wire.Message) {
	m.Curb()
	l.mu.Lock()
	s.seen = l.d.state.Now()
	if s.protocol != 0 {
		m = wire.Message{Updating: m.Updating}
	}
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
		l.noteLive(s, *m.Heartbeat)
		l.tryStorage(s)
	case m.Updating != nil:
		l.noteUpdating(s, *m.Updating)
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
	// phaseOfNoStorage is that of a task whose result a storage elsewhere has not taken so far.
	phaseOfNoStorage = "waiting to upload"
	beforeFrames     = 0.5
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
	l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: h.agent})
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
		h.pace.since, h.pace.from = l.d.state.Now(), h.progress
	}
	l.changedLocked(h)
	e := farm.Event{Kind: farm.EventProgress, Team: h.team, ID: h.job, Progress: h.progress, Frame: h.frame, Phase: h.phase}
	if c := l.courses[h.job]; c != nil {
		o := l.outlookLocked(h.job, c)
		e.Progress, e.Frame, e.Phase = o.progress, o.frame, o.phase
	}
	l.d.events.Report(e)
	for _, outer := range h.outer {
		l.d.events.Report(farm.Event{Kind: farm.EventProgress, Team: h.team, ID: outer})
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
	l.d.logs.Note(h.job, m.Lines...)
	l.d.events.Spread(farm.Event{Kind: farm.EventLog, Team: h.team, ID: h.job, Lines: m.Lines})
}
