package coordinator

import (
	"context"
	"slices"
	"sync"

	"overcrank/farm"
	"overcrank/raftstore"
)

// feed hands on what commands came to, in the order of the log, on every node: the state tells it and must not wait.
type feed struct {
	wake chan struct{}

	mu      sync.Mutex
	waiting []raftstore.Result
	handed  uint64 // index of the last result that was handed on
	over    bool   // none is handed on any more
	waiters []waiter

	// handing is held while results are handed on, so that whoever holds it knows that none is half noted.
	handing sync.Mutex
}

// waiter waits until the result of an index was handed on. Each has a channel of its own: under load some dozen wait, and most
// would be woken for the results of others.
type waiter struct {
	index uint64
	done  chan struct{}
}

func newFeed() *feed { return &feed{wake: make(chan struct{}, 1)} }

// push takes what commands came to.
func (f *feed) push(results []raftstore.Result) {
	f.mu.Lock()
	f.waiting = append(f.waiting, results...)
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// pull gives what has come since the last time.
func (f *feed) pull() []raftstore.Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	results := f.waiting
	f.waiting = nil
	return results
}

// passed notes that all up to an index was handed on.
func (f *feed) passed(index uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handed = index
	f.releaseLocked()
}

// releaseLocked lets those go on who need not wait any more.
func (f *feed) releaseLocked() {
	f.waiters = slices.DeleteFunc(f.waiters, func(w waiter) bool {
		if w.index > f.handed && !f.over {
			return false
		}
		close(w.done)
		return true
	})
}

// end lets nobody wait any more.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.releaseLocked()
}

// await waits until the result of an index, which the state has, was handed on: whoever is answered finds its effect everywhere. ctx bounds
// the waiting.
func (f *feed) await(ctx context.Context, index uint64) {
	f.mu.Lock()
	if f.handed >= index || f.over {
		f.mu.Unlock()
		return
	}
	done := make(chan struct{})
	f.waiters = append(f.waiters, waiter{index, done})
	f.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done(): // done is dropped with the result
	}
}

// followState hands on what happens until ctx ends.
func (c *Coordinator) followState(ctx context.Context) {
	defer c.feed.end()
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.feed.wake:
		}
		c.feed.handing.Lock()
		results := c.feed.pull()
		if l := c.leading(); l != nil { // which does not change meanwhile
			l.told(results)
		}
		for i := range results {
			c.happened(&results[i])
			if results[i].Replaced {
				c.stateReplaced()
			}
		}
		c.feed.handing.Unlock()
		if n := len(results); n > 0 {
			c.feed.passed(results[n-1].Index)
		}
	}
}

// told takes what commands came to into the leader's memory, in their order. What several submissions one after the other bring
// is queued at once.
func (l *leader) told(results []raftstore.Result) {
	jobs, tasks := map[string]*farm.Job{}, make([]farm.Task, 0, len(results))
	queue := func() {
		if len(tasks) > 0 {
			l.observe(jobs, tasks)
		}
		clear(jobs)
		tasks = tasks[:0]
	}
	for i := range results {
		res := &results[i]
		if res.Refused != nil || res.Repeated != nil {
			continue
		}
		if onlyQueues(res) {
			tasks = append(tasks, res.Tasks...)
			noteJobs(jobs, res.Jobs)
			continue
		}
		queue()
		l.noteAgents(res.Index, res.Agents)
		if res.Policy != nil {
			l.notePolicy(res.Index, *res.Policy)
		}
		if res.SecretTags {
			if err := l.loadSecretTags(); err != nil {
				l.c.log.Error("following a change of secrets", "error", err)
				l.doubt()
			}
		}
		noteJobs(jobs, res.Jobs)
		l.observe(jobs, res.Tasks)
		clear(jobs)
		l.outbox.renew(res.Owed)
		for _, job := range res.Jobs {
			if job.Status.Ended() && job.Private && job.ErasedAt.IsZero() {
				l.c.retaining.wake()
			}
			if job.Status == farm.JobFailed {
				l.c.note(job.ID, "the job failed: "+job.Error)
			}
		}
	}
	queue()
}

// noteJobs adds jobs to those that are known, by their ids.
func noteJobs(known map[string]*farm.Job, jobs []farm.Job) {
	for i := range jobs {
		known[jobs[i].ID] = &jobs[i]
	}
}

// onlyQueues says whether all that a command did was to make tasks of queued jobs ready, as a submission does.
func onlyQueues(res *raftstore.Result) bool {
	return len(res.Agents) == 0 && res.Policy == nil && !res.SecretTags && len(res.Owed) == 0 &&
		!anyOf(res.Jobs, func(job *farm.Job) bool { return job.Status != farm.JobQueued }) &&
		!anyOf(res.Tasks, func(t *farm.Task) bool { return t.Status != farm.TaskReady })
}

// anyOf is slices.ContainsFunc for values that are large to copy.
func anyOf[T any](list []T, is func(*T) bool) bool {
	for i := range list {
		if is(&list[i]) {
			return true
		}
	}
	return false
}

// happened counts what one command came to, and tells those who watch, on every node.
func (c *Coordinator) happened(res *raftstore.Result) {
	c.metrics.applied(res)
	if res.Refused != nil || res.Repeated != nil {
		return
	}
	c.notePace(res.Tasks)
	for i := range res.Jobs {
		job := &res.Jobs[i]
		if !job.ErasedAt.IsZero() {
			c.kept.forget(job.ID)
		}
		c.hub.moved(job)
	}
	c.hub.movedTasks(res.Tasks)
	for _, a := range res.Agents {
		c.installed.changed(a.ID)
		c.hub.publish(farm.Event{Kind: farm.EventMachine, ID: a.ID})
	}
	if res.Policy != nil {
		c.hub.publish(farm.Event{Kind: farm.EventFarm})
	}
	for _, changed := range res.Changed {
		switch changed.Kind {
		case farm.EventTemplate:
			c.reading.wake()
		case farm.EventMachine: // the machine's session tells those who watch
			c.installed.changed(changed.ID)
			continue
		}
		c.hub.publish(farm.Event{Kind: changed.Kind, Team: changed.Team, ID: changed.ID})
	}
}
