package dispatch

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"overcrank/coordinator/peers"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
)

// WhyWaiting says in a sentence why a job waits; zero for one that does not.
func (d *Dispatcher) WhyWaiting(ctx context.Context, p farm.Principal, id string) (farm.Text, error) {
	if _, err := d.state.JobOf(p, id); err != nil {
		return farm.Text{}, err
	}
	why, err := d.WhyWaitingEach(ctx, p, []string{id})
	return why[id], err
}

// WhyWaitingEach says of each of some jobs of the caller's team in a sentence why it waits, by the jobs' ids.
func (d *Dispatcher) WhyWaitingEach(ctx context.Context, p farm.Principal, ids []string) (map[string]farm.Text, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	why, err := peers.AskLeader(ctx, d.peers, askWhy, jobsAsked{Team: p.Team, IDs: ids})
	if farm.CodeOf(err) != farm.CodeUnavailable {
		return why, err
	}
	why = make(map[string]farm.Text, len(ids))
	for _, id := range ids {
		why[id] = unknownFor(err)
	}
	return why, nil
}

// unknownFor is what is told of a job that waits while the leader cannot say what for.
func unknownFor(err error) farm.Text {
	if errors.Is(err, peers.ErrNotLeading) {
		return farm.Say("The farm has no leader at the moment.")
	}
	return farm.Say("The farm has just changed its leader, which reads the queue.")
}

func (l *leader) whyWaiting(ctx context.Context, asked jobsAsked) (map[string]farm.Text, error) {
	placements, err := l.placementsOf(ctx, asked)
	why := make(map[string]farm.Text, len(placements))
	for id, placement := range placements {
		why[id] = placement.Why
	}
	return why, err
}

// Placement says what the next waiting task of a job waits for, which machines what it needs rules out, where it stands in line,
// and when the job is likely to be done. Of a job that waits for nothing it tells only the last.
func (d *Dispatcher) Placement(ctx context.Context, p farm.Principal, id string) (farm.Placement, error) {
	placement := farm.Placement{Job: id, Requirements: []farm.Requirement{}, At: d.state.Now()}
	job, err := d.state.JobOf(p, id)
	if err != nil || job.Status.Ended() {
		return placement, err
	}
	told, err := peers.AskLeader(ctx, d.peers, askPlacement, jobAsked{Team: p.Team, ID: id})
	if farm.CodeOf(err) == farm.CodeUnavailable {
		placement.Why = unknownFor(err)
		return placement, nil
	}
	return told, err
}

// PlacementEach is Placement of some jobs of the caller's team at once, by the jobs' ids, without when they are likely to begin and to be
// done. It is empty while the leader cannot say.
func (d *Dispatcher) PlacementEach(ctx context.Context, p farm.Principal, ids []string) (map[string]farm.Placement, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	told, err := peers.AskLeader(ctx, d.peers, askPlaces, jobsAsked{Team: p.Team, IDs: ids})
	if farm.CodeOf(err) == farm.CodeUnavailable {
		return nil, nil
	}
	return told, err
}

// FinishEach is when jobs of the caller's team are likely to be done, in seconds from now, by the jobs' ids; those of which nobody can tell are
// left out. It is empty while the leader cannot say.
func (d *Dispatcher) FinishEach(ctx context.Context, p farm.Principal, ids []string) (map[string]farm.Span, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	told, err := peers.AskLeader(ctx, d.peers, askFinish, jobsAsked{Team: p.Team, IDs: ids})
	if farm.CodeOf(err) == farm.CodeUnavailable {
		return nil, nil
	}
	return told, err
}

func (l *leader) finishOf(ctx context.Context, asked jobsAsked) (map[string]farm.Span, error) {
	if err := l.queueRead(ctx); err != nil {
		return nil, err
	}
	in := newCommon()
	jobs, starts, err := l.startsOf(asked, in)
	if err != nil {
		return nil, err
	}
	finish := make(map[string]farm.Span, len(jobs))
	for _, job := range jobs {
		takes := l.estimate(ctx, job, in)
		start, begins := starts[job.ID]
		switch {
		case takes == nil || job.Status.Waiting() && !begins:
		case job.Status.Waiting():
			finish[job.ID] = after(start, *takes)
		default:
			finish[job.ID] = *takes
		}
	}
	return finish, nil
}

// after is when something is done that begins within one span and takes another.
func after(start, takes farm.Span) farm.Span {
	return farm.Span{Low: start.Low + takes.Low, High: start.High + takes.High, Learning: start.Learning || takes.Learning}
}

// startsAtOnce is of how many tasks it is looked at when they begin while all else waits: some milliseconds on a farm of 2,000 machines.
const startsAtOnce = 50

// startsOf reads the open jobs of those that are asked about, and when those that wait are likely to begin, as far as anybody can tell.
func (l *leader) startsOf(asked jobsAsked, in *common) (jobs []farm.Job, starts map[string]farm.Span, err error) {
	now := l.d.state.Now()
	var line []schedule.Task
	for _, id := range asked.IDs {
		job, err := l.d.state.JobOf(farm.Principal{Team: asked.Team}, id)
		if farm.CodeOf(err) == farm.CodeNotFound || err == nil && job.Status.Ended() {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		jobs = append(jobs, job)
		if !job.Status.Waiting() {
			continue
		}
		waits := waiting{in: in, job: job}
		if err := l.d.state.View(func(tx *raftstore.Tx) error { return waits.read(tx, now) }); err != nil {
			return nil, nil, err
		}
		if waits.why().IsZero() && waits.task.ID != "" {
			line = append(line, waits.queued)
		}
	}
	starts = make(map[string]farm.Span, len(line))
	for some := range slices.Chunk(line, startsAtOnce) {
		l.mu.Lock()
		maps.Copy(starts, l.queue.Starts(some, now))
		l.mu.Unlock()
	}
	return jobs, starts, nil
}

func (l *leader) placementsOf(ctx context.Context, asked jobsAsked) (map[string]farm.Placement, error) {
	if err := l.queueRead(ctx); err != nil {
		return nil, err
	}
	jobs := make([]farm.Job, 0, len(asked.IDs))
	for _, id := range asked.IDs {
		job, err := l.d.state.JobOf(farm.Principal{Team: asked.Team}, id)
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return l.places(jobs, newCommon())
}

func (l *leader) placementOf(ctx context.Context, asked jobAsked) (farm.Placement, error) {
	if err := l.queueRead(ctx); err != nil {
		return farm.Placement{}, err
	}
	job, err := l.d.state.JobOf(farm.Principal{Team: asked.Team}, asked.ID)
	if err != nil {
		return farm.Placement{}, err
	}
	in := newCommon()
	placement, err := l.place(job, in)
	if err != nil || job.Status.Ended() {
		return placement, err
	}
	placement.Finish = l.estimate(ctx, job, in)
	if placement.Finish != nil && job.Status.Waiting() {
		if placement.Start == nil {
			placement.Finish = nil
			return placement, nil
		}
		done := after(*placement.Start, *placement.Finish)
		placement.Finish = &done
	}
	return placement, nil
}

// place says what a job waits for, and where it stands in line.
func (l *leader) place(job farm.Job, in *common) (farm.Placement, error) {
	all, err := l.places([]farm.Job{job}, in)
	return all[job.ID], err
}

// places is place of some jobs, by their ids.
func (l *leader) places(jobs []farm.Job, in *common) (map[string]farm.Placement, error) {
	all := make(map[string]farm.Placement, len(jobs))
	now := l.d.state.Now()
	var line []waiting
	for _, job := range jobs {
		placement := farm.Placement{Job: job.ID, Requirements: []farm.Requirement{}, At: now}
		if !job.Status.Ended() {
			waits := waiting{in: in, job: job}
			if err := l.d.state.View(func(tx *raftstore.Tx) error { return waits.read(tx, now) }); err != nil {
				return nil, err
			}
			placement.Split = l.splitSentence(waits)
			placement.Why = waits.why()
			switch {
			case !placement.Why.IsZero():
			case waits.task.ID == "":
				placement.Why = l.whyAway(job.ID)
			default:
				line = append(line, waits)
			}
		}
		all[job.ID] = placement
	}
	for some := range slices.Chunk(line, startsAtOnce) {
		for id, placement := range l.explain(some, now) {
			placement.Split = all[id].Split
			all[id] = placement
		}
	}
	return all, nil
}

// explain says of jobs that wait for machines what they wait for, by the jobs' ids.
func (l *leader) explain(some []waiting, now time.Time) map[string]farm.Placement {
	tasks, all := make([]schedule.Task, len(some)), make(map[string]farm.Placement, len(some))
	for i, waits := range some {
		tasks[i] = waits.queued
	}
	l.mu.Lock()
	explained, paused := l.queue.ExplainEach(tasks, now), l.policy.Paused
	l.mu.Unlock()
	for i, waits := range some {
		placement := explained[i]
		if t := waits.task; t.NotBefore.After(now) && !paused {
			placement.Why = farm.Say("Attempt %d failed (%s); the next one starts at %s.", t.Attempt, t.Error, wording.UTC(waits.queued.NotBefore))
		} else if waits.job.NotBefore.After(now) && !paused {
			placement.Why = farm.Say("The job does not start before %s.", wording.UTC(waits.job.NotBefore))
		}
		all[waits.job.ID] = placement
	}
	return all
}

// splitSentence says of a job's render that it is split, or why it is not; zero as long as that is open, when it is no question, and of
// a whole render that another leader granted.
func (l *leader) splitSentence(w waiting) farm.Text {
	parts := 0
	for _, t := range w.tasks {
		if t.Kind == farm.TaskRender && t.Part {
			parts++
		}
	}
	if parts > 1 {
		return farm.Say("The render is split into %d ranges of frames.", parts)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.byJob[w.job.ID] {
		if !h.whole.IsZero() {
			return farm.Say("The render is not split: %s.", h.whole)
		}
	}
	return farm.Text{}
}

// whyAway says of a job that machines work on which of them is not connected, zero when all are.
func (l *leader) whyAway(job string) farm.Text {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.byJob[job] {
		if h.cancelled || h.handing || l.sessions[h.agent] != nil {
			continue
		}
		return farm.Say("Its machine %s is not connected. Unless it is back by %s, its work goes to another machine.",
			cmp.Or(l.standings[h.agent].name, h.agent), wording.UTC(h.seen.Add(l.d.cfg.Lease)))
	}
	return farm.Text{}
}
