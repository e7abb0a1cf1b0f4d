package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"overcrank/coordinator/peers"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/raftstore"
)

// WhyWaiting says in a sentence why a job waits; "" for one that does not.
func (d *Dispatcher) WhyWaiting(ctx context.Context, p farm.Principal, id string) (string, error) {
	if _, err := d.state.JobOf(p, id); err != nil {
		return "", err
	}
	why, err := d.WhyWaitingEach(ctx, p, []string{id})
	return why[id], err
}

// WhyWaitingEach says of each of some jobs of the caller's team in a sentence why it waits, by the jobs' ids.
func (d *Dispatcher) WhyWaitingEach(ctx context.Context, p farm.Principal, ids []string) (map[string]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	why, err := peers.AskLeader(ctx, d.peers, askWhy, jobsAsked{Team: p.Team, IDs: ids})
	if farm.CodeOf(err) != farm.CodeUnavailable {
		return why, err
	}
	why = make(map[string]string, len(ids))
	for _, id := range ids {
		why[id] = unknownFor(err)
	}
	return why, nil
}

// unknownFor is what is told of a job that waits while the leader cannot say what for.
func unknownFor(err error) string {
	if errors.Is(err, peers.ErrNotLeading) {
		return "The farm has no leader at the moment."
	}
	return "The farm has just changed its leader, which reads the queue."
}

func (l *leader) whyWaiting(ctx context.Context, asked jobsAsked) (map[string]string, error) {
	if err := l.queueRead(ctx); err != nil {
		return nil, err
	}
	why := make(map[string]string, len(asked.IDs))
	for _, id := range asked.IDs {
		job, err := l.d.state.JobOf(farm.Principal{Team: asked.Team}, id)
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		placement, err := l.place(job)
		if err != nil {
			return nil, err
		}
		why[id] = placement.Why
	}
	return why, nil
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

func (l *leader) placementsOf(ctx context.Context, asked jobsAsked) (map[string]farm.Placement, error) {
	if err := l.queueRead(ctx); err != nil {
		return nil, err
	}
	all := make(map[string]farm.Placement, len(asked.IDs))
	for _, id := range asked.IDs {
		job, err := l.d.state.JobOf(farm.Principal{Team: asked.Team}, id)
		if farm.CodeOf(err) == farm.CodeNotFound {
			continue
		}
		if err == nil {
			all[id], err = l.place(job)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (l *leader) placementOf(ctx context.Context, asked jobAsked) (farm.Placement, error) {
	if err := l.queueRead(ctx); err != nil {
		return farm.Placement{}, err
	}
	job, err := l.d.state.JobOf(farm.Principal{Team: asked.Team}, asked.ID)
	if err != nil {
		return farm.Placement{}, err
	}
	placement, err := l.place(job)
	if err != nil || job.Status.Ended() {
		return placement, err
	}
	placement.Finish = l.estimate(ctx, job)
	if placement.Finish != nil && job.Status.Waiting() {
		if placement.Start == nil {
			placement.Finish = nil
			return placement, nil
		}
		placement.Finish.Low += placement.Start.Low
		placement.Finish.High += placement.Start.High
		placement.Finish.Learning = placement.Finish.Learning || placement.Start.Learning
	}
	return placement, nil
}

// place says what a job waits for, and where it stands in line.
func (l *leader) place(job farm.Job) (farm.Placement, error) {
	placement := farm.Placement{Job: job.ID, Requirements: []farm.Requirement{}, At: l.d.state.Now()}
	if job.Status.Ended() {
		return placement, nil
	}
	waits := waiting{job: job}
	err := l.d.state.View(func(tx *raftstore.Tx) error { return waits.read(tx, l.d.state.Now()) })
	if err != nil {
		return placement, err
	}
	placement.Split = l.splitSentence(waits)
	if placement.Why = waits.why(); placement.Why != "" {
		return placement, nil
	}
	if waits.task.ID == "" {
		placement.Why = l.whyAway(job.ID)
		return placement, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	split := placement.Split
	placement = l.queue.Explain(waits.queued, placement.At)
	placement.Split = split
	if t := waits.task; t.NotBefore.After(placement.At) && !l.policy.Paused {
		placement.Why = fmt.Sprintf("Attempt %d failed (%s); the next one starts at %s.", t.Attempt, t.Error, waitTime(waits.queued.NotBefore))
	} else if job.NotBefore.After(placement.At) && !l.policy.Paused {
		placement.Why = "The job starts not before " + waitTime(job.NotBefore) + "."
	}
	return placement, nil
}

// splitSentence says of a job's render that it is split, or why it is not; "" as long as that is open, when it is no question, and of
// a whole render that another leader granted.
func (l *leader) splitSentence(w waiting) string {
	parts := 0
	for _, t := range w.tasks {
		if t.Kind == farm.TaskRender && t.Part {
			parts++
		}
	}
	if parts > 1 {
		return fmt.Sprintf("The render is split into %d ranges of frames.", parts)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.byJob[w.job.ID] {
		if h.whole != "" {
			return "The render is not split: " + h.whole + "."
		}
	}
	return ""
}

// whyAway says of a job that machines work on which of them is not connected, "" when all are.
func (l *leader) whyAway(job string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.byJob[job] {
		if h.cancelled || h.handing || l.sessions[h.agent] != nil {
			continue
		}
		return fmt.Sprintf("Its machine %s is not connected. Unless it is back by %s, its work goes to another machine.",
			cmp.Or(l.standings[h.agent].name, h.agent), waitTime(h.seen.Add(l.d.cfg.Lease)))
	}
	return ""
}

// waiting is what the state says of a job that has not ended.
type waiting struct {
	job      farm.Job
	template *farm.Template
	finished int // of its children
	tasks    []farm.Task
	task     farm.Task // the first that is ready; empty when none is
	queued   schedule.Task
}

func (w *waiting) read(tx *raftstore.Tx, now time.Time) (err error) {
	if w.job.Status == farm.JobPending {
		for _, id := range w.job.Children {
			child, err := tx.JobHead(id)
			if err != nil {
				return err
			}
			if child.Status == farm.JobFinished {
				w.finished++
			}
		}
		return nil
	}
	if w.template, err = templateOf(tx, w.job); err != nil {
		return err
	}
	if w.tasks, err = tx.TasksOf(w.job.ID); err != nil {
		return err
	}
	for _, t := range w.tasks {
		if t.Status == farm.TaskReady {
			w.task = t
			w.queued, err = queuedTask(tx, t, w.job, w.template, now)
			return err
		}
	}
	return nil
}

// why says what a job waits for before any machine is looked for, "" when that is not so.
func (w *waiting) why() string {
	switch {
	case w.job.Hold:
		return "The job is held: it starts when it is released."
	case w.job.Status == farm.JobPending:
		return fmt.Sprintf("The job waits for its nested jobs: %d of %d have finished.", w.finished, len(w.job.Children))
	case w.task.ID != "":
		return ""
	case w.template != nil && w.template.Status == farm.TemplateAwaitingUpload:
		return fmt.Sprintf("Template %q has not been uploaded yet.", w.template.DisplayName)
	case w.template != nil && w.template.Status == farm.TemplateDownloading:
		return fmt.Sprintf("Template %q is still being downloaded.", w.template.DisplayName)
	case w.template != nil && w.template.Status == farm.TemplateProcessing:
		return fmt.Sprintf("Template %q is still being read.", w.template.DisplayName)
	case w.job.Approve && w.job.ApprovedAt.IsZero() && w.sampled():
		return "Its sample frames are there. The rest waits until somebody has approved them."
	}
	return ""
}

// sampled tells whether the frames to be looked at are made, and nothing of the rest is in work.
func (w *waiting) sampled() bool {
	for _, t := range w.tasks {
		if t.Status == farm.TaskLeased || t.Kind == farm.TaskSample && t.Status != farm.TaskDone {
			return false
		}
	}
	return true
}

// Queue lists the tasks that wait for a machine, in the order in which they are likely to begin. next is the cursor of the page
// that follows, "" after the last; one can look schedule.MaxListed tasks far. Of another team's it tells where they stand.
func (d *Dispatcher) Queue(ctx context.Context, p farm.Principal, limit int, cursor string) (entries []farm.QueueEntry, next string, err error) {
	after := 0
	if cursor != "" {
		if after, err = strconv.Atoi(cursor); err != nil || after < 0 {
			return nil, "", farm.Errorf(farm.CodeInvalid, "%q is no cursor of the queue", cursor)
		}
	}
	if limit < 1 || limit > maxQueuePage {
		limit = maxQueuePage
	}
	told, err := peers.AskLeader(ctx, d.peers, askLine, lineAsked{Team: p.Team, After: after, Limit: limit})
	if told.More {
		next = strconv.Itoa(after + limit)
	}
	return told.Entries, next, err
}

// lineFrom is the part of the queue behind a place.
func (l *leader) lineFrom(ctx context.Context, asked lineAsked) (line, error) {
	if err := l.queueRead(ctx); err != nil {
		return line{}, err
	}
	l.mu.Lock()
	listed, more := l.queue.Line(l.d.state.Now(), asked.After, asked.Limit)
	l.mu.Unlock()
	part := line{Entries: make([]farm.QueueEntry, len(listed)), More: more}
	err := l.d.state.View(func(tx *raftstore.Tx) error {
		for i, at := range listed {
			part.Entries[i] = farm.QueueEntry{Place: at.Place, Level: at.Task.Level, Since: at.Since}
			if at.Task.Team != asked.Team {
				continue
			}
			if err := describeEntry(tx, &part.Entries[i], at.Task); err != nil {
				return err
			}
		}
		return nil
	})
	return part, err
}

// maxQueuePage is how many tasks one page of the queue lists at most.
const maxQueuePage = 500

// describeEntry adds to an entry what only the task's own team sees.
func describeEntry(tx *raftstore.Tx, e *farm.QueueEntry, t schedule.Task) error {
	e.Task, e.Job, e.Team, e.Priority = t.ID, t.Job, t.Team, t.Priority
	job, err := tx.JobHead(t.Job)
	if err == nil {
		e.JobName, e.Template, e.Composition = job.Name, job.Template.ID, job.Template.Composition
		var task farm.Task
		task, err = tx.Task(t.ID)
		e.Kind = task.Kind
	}
	if farm.CodeOf(err) == farm.CodeNotFound { // it ended while the page was made
		return nil
	}
	return err
}

// waitTime words a point in time for a sentence.
func waitTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }
