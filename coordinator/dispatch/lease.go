package dispatch

import (
	"slices"
	"time"

	"overcrank/coordinator/handout"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// lease is a task in an agent's hands.
type lease struct {
	wire.Attempt
	job, team, agent string
	kind             farm.TaskKind
	part             bool
	seen             time.Time // last sign of the agent's working on it
	since            time.Time
	handing          bool     // it is being put together, and the agent has not heard of it
	sending          bool     // it only waits for storage that is not the farm's
	cancelled        bool     // the job was cancelled; the agent has been told to stop
	reported         bool     // its agent has told how it ended
	brought          bool     // by a backup that the farm was put back to: the machine may have finished it since, which was undone
	outer            []string // jobs that it is nested in, from the nearest; nil when not known
	changed          uint64   // of leader.changes, when it changed last
	progress         float64
	frame            int
	framesTotal      int
	phase            string
	// pace is when the first frame was told to be done, and how far the attempt was then: what came before it says nothing of how long
	// frames take.
	pace struct {
		since time.Time
		from  float64 // percent
	}
	files map[string]handout.File // that the agent may read, by hash; nil until asked for
	whole farm.Text               // why the render was not split, zero when it was, when that is no question, or when another leader granted it
}

// holdLocked notes a lease that the state tells of.
func (l *leader) holdLocked(t farm.Task) *lease {
	if old := l.leases[t.ID]; old != nil {
		if old.Attempt.Attempt >= t.Attempt {
			return old
		}
		l.releaseLocked(old.Task, old.Attempt.Attempt)
	}
	h := l.newLease(t)
	l.changedLocked(h)
	l.leases[t.ID] = h
	l.byJob[t.Job] = append(l.byJob[t.Job], h)
	l.byAgent[t.Agent] = append(l.byAgent[t.Agent], h)
	return h
}

func (l *leader) newLease(t farm.Task) *lease {
	h := &lease{
		Attempt: wire.Attempt{Task: t.ID, Attempt: t.Attempt},
		job:     t.Job, team: t.Team, agent: t.Agent, kind: t.Kind, part: t.Part, seen: l.d.state.Now(), since: t.LeasedAt, frame: -1,
		brought: t.Attempt <= l.attemptsFrom,
	}
	if before, known := l.d.mirror.lease(h.Attempt); known { // another leader had it
		h.progress, h.frame, h.framesTotal, h.phase = before.Progress, before.Frame, before.FramesTotal, before.Phase
	}
	return h
}

// releaseLocked ends the lease of a task up to an attempt, and frees its agent's slot.
func (l *leader) releaseLocked(task string, attempt int) {
	h := l.leases[task]
	if h == nil || h.Attempt.Attempt > attempt {
		return
	}
	l.forgetLocked(h)
	l.noteRecentLocked(h)
	l.queue.Release(h.Task, h.Attempt.Attempt, l.d.state.Now())
	l.wake()
	l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: h.agent})
}

func (l *leader) forgetLocked(h *lease) {
	delete(l.leases, h.Task)
	without(l.byJob, h.job, h)
	without(l.byAgent, h.agent, h)
}

// without takes a lease out of those under a key.
func without(by map[string][]*lease, key string, h *lease) {
	rest := slices.DeleteFunc(by[key], func(o *lease) bool { return o == h })
	if len(rest) == 0 {
		delete(by, key)
	} else {
		by[key] = rest
	}
}

// stopLocked tells an agent to stop a cancelled task. Its slot is free when it has answered.
func (l *leader) stopLocked(t farm.Task) {
	h := l.leases[t.ID]
	if h == nil {
		return
	}
	h.cancelled = true
	l.changedLocked(h)
	s := l.sessions[h.agent]
	if s == nil {
		l.releaseLocked(t.ID, t.Attempt)
		return
	}
	s.send(wire.Message{Cancel: &wire.Cancel{Attempt: h.Attempt, Reason: "the job was cancelled"}})
}

// withdrawLocked ends the lease of a task that waits for others again. Its agent is told to stop, unless it has ended the attempt itself.
func (l *leader) withdrawLocked(t farm.Task) {
	h := l.leases[t.ID]
	if h == nil || h.Attempt.Attempt > t.Attempt {
		return
	}
	if s := l.sessions[h.agent]; s != nil && !h.reported {
		s.send(wire.Message{Cancel: &wire.Cancel{Attempt: h.Attempt, Reason: "frames of the job are rendered again first"}})
	}
	l.releaseLocked(t.ID, t.Attempt)
}

// leasesOfLocked is the leases in an agent's hands.
func (l *leader) leasesOfLocked(agent string) []*lease { return slices.Clone(l.byAgent[agent]) }
