package dispatch

import (
	"context"

	"overcrank/coordinator/forecast"
	"overcrank/farm"
	"overcrank/raftstore"
)

// estimate says how long it is likely to take until a job is done: from now on for one that machines work on, and from the
// moment on that it begins for one that waits. It is nil when nobody can tell: the job has ended, waits for people or for
// other jobs, or has none but machines that are not connected.
func (l *leader) estimate(ctx context.Context, job farm.Job, in *common) *farm.Span {
	if job.Status.Ended() || job.Status == farm.JobPending || job.Hold || job.Approve && job.ApprovedAt.IsZero() {
		return nil
	}
	known, err := l.readForecast(ctx, job, in)
	if err != nil {
		l.d.log.Error("estimating a job", "job", job.ID, "error", err)
		return nil
	}
	if away := l.seeLeases(&known); away && len(known.Leases) == 0 {
		return nil
	}
	span := known.Left()
	return &span
}

// readForecast reads what the state knows of how long a job takes.
func (l *leader) readForecast(ctx context.Context, job farm.Job, in *common) (known forecast.Job, err error) {
	adobe := l.hasAfterEffects()
	known = forecast.Job{Job: job, Frames: job.FramesTotal}
	err = l.d.state.View(func(tx *raftstore.Tx) (err error) {
		if known.Template, err = in.template(tx, job); err != nil {
			return err
		}
		if known.Tasks, err = tx.TasksOf(job.ID); err != nil || known.Template == nil {
			return err
		}
		m, err := in.measuredOf(tx, job, *known.Template, adobe)
		known.Timings, known.Machines = m.timings, m.machines
		return err
	})
	if err != nil {
		return known, err
	}
	whole, certain, err := l.d.templates.FramesOf(ctx, job, known.Template)
	if certain {
		known.Frames, known.Whole = whole.Count(), whole
	}
	return known, err
}

// seeLeases adds how far machines are with a job; away says of one of them that it is not connected, or that a storage elsewhere does not take its
// result: that may go on as it may not, and what it has done then counts for nothing.
func (l *leader) seeLeases(known *forecast.Job) (away bool) {
	now := l.d.state.Now()
	known.Leases = map[string]forecast.Lease{}
	l.mu.Lock()
	defer l.mu.Unlock()
	known.Free, known.Online, known.Split = l.queue.Free(), len(l.sessions), l.policy.Split
	for _, h := range l.byJob[known.Job.ID] {
		if h.cancelled {
			continue
		}
		if l.sessions[h.agent] == nil || h.phase == phaseOfNoStorage {
			away = true
			continue
		}
		seen := forecast.Lease{Agent: h.agent, Elapsed: now.Sub(h.since).Seconds(), Reached: h.progress / 100, Told: h.phase != ""}
		if !h.pace.since.IsZero() {
			seen.Paced, seen.From, seen.Took = true, h.pace.from/100, now.Sub(h.pace.since).Seconds()
		}
		known.Leases[h.Task] = seen
		if known.Frames == 0 {
			known.Frames = h.framesTotal
		}
	}
	return away
}
