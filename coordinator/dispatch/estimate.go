package dispatch

import (
	"context"
	"time"

	"overcrank/coordinator/forecast"
	"overcrank/coordinator/ranges"
	"overcrank/farm"
	"overcrank/raftstore"
)

// estimate says how long it is likely to take until a job is done: from now on for one that machines work on, and from the
// moment on that it begins for one that waits. It is nil when nobody can tell: the job has ended, waits for people or for
// other jobs, or has none but machines that are not connected.
func (l *leader) estimate(ctx context.Context, job farm.Job) *farm.Span {
	if job.Status.Ended() || job.Status == farm.JobPending || job.Hold {
		return nil
	}
	l.mu.Lock()
	adobe := l.queue.HasAfterEffects()
	l.mu.Unlock()
	o := outline{d: l.d, job: job, now: l.d.state.Now()}
	if err := o.read(ctx, adobe); err != nil {
		l.d.log.Error("estimating a job", "job", job.ID, "error", err)
		return nil
	}
	if job.Approve && job.ApprovedAt.IsZero() {
		return nil
	}
	l.mu.Lock()
	o.see(l)
	l.mu.Unlock()
	if o.away && len(o.leases) == 0 {
		return nil
	}
	cost, known := o.cost()
	if !known {
		return &farm.Span{Learning: true}
	}
	span := forecast.Span(cost, !forecast.Learned(o.tempo.render))
	return &span
}

// outline is what a job's estimate is made from.
type outline struct {
	d        *Dispatcher
	job      farm.Job
	now      time.Time
	tasks    []farm.Task
	template *farm.Template
	tempo    tempo
	own      map[string]farm.Timing // of each machine
	frames   int                    // that the job renders, 0 when not known
	whole    farm.Frames

	leases   map[string]seenLease // by task
	away     bool                 // one of the job's machines is not connected
	free     int                  // slots
	machines int                  // that are connected
	policy   farm.Policy
}

// seenLease is how far a machine is with a task.
type seenLease struct {
	agent   string
	elapsed float64 // seconds
	reached float64 // 0..1
	// paced says that its frames have a pace: they took it from one share of the task to another in some time.
	paced      bool
	from, took float64 // 0..1, seconds
	told       bool    // the agent tells of phases, so that what was reached before a pace is known is no frames
}

// pace is how much of the task was done in which time, in seconds; ok is false when that tells nothing of its frames.
func (s seenLease) pace() (share, took float64, ok bool) {
	if s.told {
		return s.reached - s.from, s.took, s.paced && s.reached > s.from && s.took > 0
	}
	return s.reached, s.elapsed, s.reached > 0 && s.elapsed > 0
}

func (o *outline) read(ctx context.Context, adobe bool) error {
	err := o.d.state.View(func(tx *raftstore.Tx) (err error) {
		if o.template, err = templateOf(tx, o.job); err != nil {
			return err
		}
		if o.tasks, err = tx.TasksOf(o.job.ID); err != nil || o.template == nil {
			return err
		}
		if o.tempo, err = tempoOf(tx, o.job, *o.template, adobe); err != nil {
			return err
		}
		o.own, err = machinesOf(tx, o.job, *o.template, adobe)
		return err
	})
	if err != nil {
		return err
	}
	o.frames = o.job.FramesTotal
	whole, known, err := o.d.framesOf(ctx, o.job, o.template)
	if known {
		o.frames, o.whole = whole.Count(), whole
	}
	return err
}

// see looks at the job's leases. It is called with the leader's memory locked.
func (o *outline) see(l *leader) {
	o.leases, o.free, o.machines, o.policy = map[string]seenLease{}, l.queue.Free(), len(l.sessions), l.policy
	for _, h := range l.byJob[o.job.ID] {
		if h.cancelled {
			continue
		}
		if l.sessions[h.agent] == nil { // it may never come back, and what it has done then counts for nothing
			o.away = true
			continue
		}
		seen := seenLease{agent: h.agent, elapsed: o.now.Sub(h.since).Seconds(), reached: h.progress / 100, told: h.phase != ""}
		if !h.pace.since.IsZero() {
			seen.paced, seen.from, seen.took = true, h.pace.from/100, o.now.Sub(h.pace.since).Seconds()
		}
		o.leases[h.Task] = seen
		if o.frames == 0 {
			o.frames = h.framesTotal
		}
	}
}

// cost is what is left of the job, stage by stage; known is false when nothing is known to tell it from.
func (o *outline) cost() (total forecast.Cost, known bool) {
	if !o.learn() {
		return total, false
	}
	stages := map[int]bool{}
	for _, t := range o.tasks {
		if stages[t.Stage] || t.Status.Ended() {
			continue
		}
		stages[t.Stage] = true
		total = total.Add(o.stage(t.Stage))
	}
	return total, len(stages) > 0
}

// learn makes sure that the time of a frame is known: from what was measured before, or else from what the job's machines have
// done so far.
func (o *outline) learn() bool {
	if o.tempo.render.Frame > 0 && o.frames > 0 {
		return true
	}
	for _, t := range o.tasks {
		h, leased := o.leases[t.ID]
		share, took, paced := h.pace()
		if frames := float64(o.framesOf(t)) * share; leased && paced && t.Kind == farm.TaskRender && frames >= 1 {
			o.tempo.render = farm.Timing{Count: 1, Frame: int64(took * 1e6 / frames)}
			o.tempo.render.Spread = o.tempo.render.Frame / 4
			return true
		}
	}
	return false
}

// framesOf is how many frames a task has still to render when it begins.
func (o *outline) framesOf(t farm.Task) int {
	switch {
	case t.Frames != nil:
		return t.Frames.Count()
	case t.Kind == farm.TaskSample:
		return max(len(t.Stills), 3)
	default:
		return o.frames
	}
}

// stage is what the open tasks of a stage cost.
func (o *outline) stage(stage int) forecast.Cost {
	var running, waiting []forecast.Cost
	for _, t := range o.tasks {
		if t.Stage != stage || t.Status.Ended() {
			continue
		}
		cost := o.task(t)
		if h, leased := o.leases[t.ID]; leased {
			running = append(running, o.left(t, h, cost))
		} else {
			waiting = append(waiting, cost)
		}
	}
	machines := len(running) + min(o.free, len(waiting))
	if most := o.job.MaxMachines; most > 0 {
		machines = min(machines, most)
	}
	return forecast.Done(running, waiting, machines)
}

// What is assumed of work that was never measured, in seconds.
var (
	soundCost         = forecast.Cost{Low: 0.1, High: 3}
	assembleCost      = forecast.Cost{Low: 0.2, High: 3}
	assembleFrameCost = forecast.Cost{Low: 0.001, High: 0.03}
)

// task is what a task costs from its beginning.
func (o *outline) task(t farm.Task) forecast.Cost {
	timing := o.tempo.render
	if h, leased := o.leases[t.ID]; leased {
		if own := o.own[h.agent]; own.Frame > 0 {
			timing = own
		}
	}
	start, frames := forecast.Start(timing), float64(o.framesOf(t))
	switch t.Kind {
	case farm.TaskAssemble:
		if o.tempo.assemble.Frame > 0 {
			return forecast.Frame(o.tempo.assemble).Times(frames)
		}
		return assembleCost.Add(assembleFrameCost.Times(frames))
	case farm.TaskSound:
		return start.Add(soundCost)
	}
	cost := start.Add(forecast.Frame(timing).Times(frames))
	if _, leased := o.leases[t.ID]; !leased && splits(t, o.job, o.template) {
		cost.Low = min(cost.Low, o.ifSplit(start, timing))
	}
	return cost
}

// ifSplit is what the render of the whole takes at least if every machine that is there takes part in it.
func (o *outline) ifSplit(start forecast.Cost, timing farm.Timing) float64 {
	plan := ranges.Decide(ranges.Work{
		Frames: o.whole, Machines: o.machines, Frame: o.tempo.frame(), Start: o.tempo.start(), Assemble: o.tempo.assembleFrame(), Policy: o.policy.Split,
	}).Ranges
	if o.whole.Count() < 2 || len(plan) == 0 {
		return forecast.Frame(timing).Times(float64(o.frames)).Low
	}
	var waiting []forecast.Cost
	for _, r := range plan {
		waiting = append(waiting, start.Add(forecast.Frame(timing).Times(float64(r.Count()))))
	}
	return forecast.Done(nil, waiting, o.machines).Low
}

// left is what is left of a task that a machine works on.
func (o *outline) left(t farm.Task, h seenLease, cost forecast.Cost) forecast.Cost {
	const (
		telling       = 0.05 // of a task, from which on its own pace tells something
		tellingFrames = 100  // or so many, of a long one
		behindFrames  = 0.01 // of the bar, in which no frames are rendered
	)
	share, took, paced := h.pace()
	if h.reached >= 1 {
		return forecast.Cost{High: cost.High / 20}
	}
	if !paced || h.reached < telling && share*float64(o.framesOf(t)) < tellingFrames {
		return forecast.Cost{Low: max(cost.Low-h.elapsed, 0), High: max(cost.High-h.elapsed/2, cost.Low/2)}
	}
	rest := 1 - h.reached
	if h.told {
		rest = max(rest-behindFrames, 0)
	}
	live := forecast.Live(took, share/(share+rest))
	if o.tempo.render.Count <= 1 {
		return live
	}
	return live.Add(cost.Times(1 - h.reached)).Times(0.5)
}
