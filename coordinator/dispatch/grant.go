package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/handout"
	"overcrank/coordinator/library"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/interval"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// grantGroup is how many leases one command grants at most.
const grantGroup = 64

// lookAgain is how often the queue is asked though nothing has happened: the hours of levels, and the patience of tasks, pass
// by themselves.
const lookAgain = time.Second

// grantLoop grants leases whenever there may be something to grant.
func (l *leader) grantLoop(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if !l.grantAll(ctx) && interval.Wait(ctx, retryPause) != nil {
			return
		}
		l.mu.Lock()
		wake := l.queue.Wake()
		l.mu.Unlock()
		wait := lookAgain
		if !wake.IsZero() {
			wait = min(wait, max(wake.Sub(l.d.state.Now()), time.Millisecond))
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-l.work:
		case <-timer.C:
		}
	}
}

// grantAll grants until machines or tasks run out; false when the state could not be written.
func (l *leader) grantAll(ctx context.Context) bool {
	for {
		if l.d.storage.Broken() {
			return true // what a lease names could not be read; the tasks wait until it can
		}
		more, err := l.grantSome(ctx)
		if err != nil {
			if ctx.Err() == nil {
				l.d.log.Warn("granting leases", "error", err)
			}
			l.wake()
			return false
		}
		if !more {
			return true
		}
	}
}

// grantSome grants what fits now, and has it handed over by others.
func (l *leader) grantSome(ctx context.Context) (more bool, err error) {
	now := l.d.state.Now()
	if err := l.turnMonth(now); err != nil {
		return false, err
	}
	l.mu.Lock()
	grants := l.queue.Assign(now, grantGroup)
	for _, g := range grants {
		l.granted[g.Task.ID] = g.Task.Attempt
	}
	l.mu.Unlock()
	if len(grants) == 0 {
		return false, nil
	}
	whole := l.splitting(ctx, grants)
	leased, err := l.lease(ctx, grants, now)
	if err != nil {
		return false, err
	}
	stored := l.stored(leased)
	for _, g := range grants {
		got, is := leased[g.Task.ID]
		if !is {
			l.reconsider(ctx, g)
			continue
		}
		l.d.counters.Leased(g.Task, got.task.LeasedAt)
		words := whole[g.Task.ID]
		if !l.hands.take(ctx, stored[got.job.ID], func(within context.Context) { l.handOver(ctx, within, got, words) }) {
			return false, ctx.Err() // the next leader finds the leases in the state
		}
	}
	return true, nil
}

// leased is a task that has just been leased, and its job.
type leased struct {
	lease *lease
	task  *farm.Task
	job   *farm.Job
}

// lease writes grants into the state, and gives those that are leases now, by task.
func (l *leader) lease(ctx context.Context, grants []schedule.Grant, now time.Time) (map[string]*leased, error) {
	cmd := command.LeaseTasks{At: now, Rested: true}
	for _, g := range grants {
		cmd.Grants = append(cmd.Grants, command.Grant{Task: g.Task.ID, Attempt: g.Task.Attempt, Agent: g.Machine})
	}
	l.granting.Lock()
	defer l.granting.Unlock()
	res, err := l.d.raft.Apply(ctx, cmd)
	if err == nil && res.Refused != nil {
		err = res.Refused
	}
	if err != nil {
		l.revoke(grants)
		return nil, err
	}
	tasks, jobs := placesOf(res.Tasks, func(t *farm.Task) string { return t.ID }), placesOf(res.Jobs, func(j *farm.Job) string { return j.ID })
	made := make(map[string]*leased, len(grants))
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, g := range grants {
		delete(l.granted, g.Task.ID)
		at, told := tasks[g.Task.ID]
		if !told || res.Each[i] != nil {
			continue
		}
		task := &res.Tasks[at]
		h := l.holdLocked(*task)
		h.handing = true
		made[task.ID] = &leased{h, task, &res.Jobs[jobs[task.Job]]}
	}
	return made, nil
}

// stored are the jobs of leases for which the storage has to be asked. Where that cannot be read, putting them together will say so.
func (l *leader) stored(made map[string]*leased) map[string]bool {
	jobs := make([]*farm.Job, 0, len(made))
	for _, got := range made {
		jobs = append(jobs, got.job)
	}
	stored, err := l.d.handouts.Stored(jobs)
	if err != nil {
		l.d.log.Error("looking for what leases need of the storage", "error", err)
	}
	return stored
}

// placesOf is where each record stands in a list, by id.
func placesOf[R any](list []R, id func(*R) string) map[string]int {
	places := make(map[string]int, len(list))
	for i := range list {
		places[id(&list[i])] = i
	}
	return places
}

// revoke undoes grants that were perhaps not written. If they were, the next try is refused and set right there.
func (l *leader) revoke(grants []schedule.Grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, g := range grants {
		delete(l.granted, g.Task.ID)
		l.queue.Revoke(g)
		l.queue.Add(g.Task, l.d.state.Now())
	}
}

// reconsider looks at a task whose grant was refused: the queue had an old picture of it.
func (l *leader) reconsider(ctx context.Context, g schedule.Grant) {
	var task farm.Task
	var next int
	err := l.d.state.View(func(tx *raftstore.Tx) (err error) {
		if task, err = tx.Task(g.Task.ID); err == nil {
			next, err = tx.NextAttempt(task)
		}
		return err
	})
	if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
		l.d.log.Error("reading a task", "task", g.Task.ID, "error", err)
	}
	l.mu.Lock()
	l.queue.Revoke(g)
	var again []farm.Task
	var unsent *lease
	switch {
	case err != nil:
	case task.Status == farm.TaskReady && next == g.Task.Attempt:
		g.Task.NotBefore = l.d.state.Now().Add(retryPause)
		l.queue.Add(g.Task, l.d.state.Now())
	case task.Status == farm.TaskReady:
		again = append(again, task)
	case task.Status == farm.TaskLeased && l.leases[task.ID] == nil:
		// An earlier grant was written although its answer was an error; the agent never heard of it.
		unsent = l.newLease(task)
	}
	l.mu.Unlock()
	if len(again) > 0 {
		if err := l.enqueue(again, nil); err != nil {
			l.d.log.Error("queueing a task", "task", task.ID, "error", err)
		}
	}
	if unsent != nil {
		l.takeBack(ctx, true, unsent)
	}
}

// handOver puts a lease together that was granted, within a context of its own, and sends it to its agent: to the session that the agent has by
// then. whole is why the render was not split, "" when it was, or when that is no question.
func (l *leader) handOver(ctx, within context.Context, granted *leased, whole farm.Text) {
	h, t := granted.lease, *granted.task
	adobe := l.hasAfterEffects()
	made, err := l.d.handouts.Of(within, t, *granted.job, adobe)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return // the next leader finds the lease in the state
	case errors.Is(err, library.ErrMachine):
		l.d.log.Info("a task goes to another machine", "task", t.ID, "agent", t.Agent, "reason", err)
		if err := errors.Join(l.readStandings(), l.readSecretTags()); err != nil {
			l.d.log.Error("reading which machines get secrets", "error", err)
		}
		l.takeBack(ctx, true, h)
		return
	case errors.Is(err, files.ErrUnreachable):
		l.d.storage.Fault(err)
		l.d.log.Warn("a task waits for the farm's storage", "task", t.ID, "error", err)
		l.takeBack(ctx, true, h)
		return
	default:
		l.neverBegan(ctx, t, *granted.job, err)
		return
	}
	var outer []string
	if made.Nested {
		if outer, err = l.d.outerJobs(t.Job); err != nil {
			l.d.log.Warn("looking for the jobs that a job is nested in", "job", t.Job, "error", err)
		}
	}
	if !made.Never.IsZero() {
		whole = made.Never
	}
	if name, here := l.hasHere(t.Agent); here {
		lines := []string{fmt.Sprintf("--- attempt %d on %s, %s ---", t.Attempt, name, l.d.state.Now().UTC().Format(time.RFC3339))}
		if !whole.IsZero() {
			lines = append(lines, "the render is not split: "+whole.String())
		}
		l.d.logs.Note(t.Job, lines...)
	}
	l.mu.Lock()
	h.whole = whole
	l.mu.Unlock()
	if !l.send(h, made, outer) {
		l.takeBack(ctx, true, h)
	}
	l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: t.Agent})
}

// hasHere is what a machine is called that has a session here.
func (l *leader) hasHere(agent string) (name string, here bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.sessions[agent]; s != nil {
		return s.name, true
	}
	return "", false
}

// send sends a lease to its agent, unless it is none any more; false when it has to be taken back, since nobody is there for it.
func (l *leader) send(h *lease, made handout.Handout, outer []string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.handing = false
	h.files, h.outer = made.Files(), outer
	if l.leases[h.Task] != h {
		return true
	}
	if h.cancelled { // meanwhile; the agent was told to stop what it had not begun
		l.releaseLocked(h.Task, h.Attempt.Attempt)
		return true
	}
	s := l.sessions[h.agent]
	if s == nil || l.standings[h.agent].paused { // it may have been paused, and asked for what it has, meanwhile
		return false
	}
	s.send(wire.Message{Lease: &made.Lease})
	return true
}
