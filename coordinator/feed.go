package coordinator

import (
	"context"
	"sync"

	"overcrank/farm"
	"overcrank/raftstore"
)

// feed hands on what commands came to, in the order of the log, on every node: the state tells it and must not wait.
type feed struct {
	wake chan struct{}

	mu      sync.Mutex
	moved   sync.Cond // handed or over have changed
	waiting []raftstore.Result
	handed  uint64 // index of the last result that was handed on
	over    bool   // none is handed on any more

	// handing is held while results are handed on, so that whoever holds it knows that none is half noted.
	handing sync.Mutex
}

func newFeed() *feed {
	f := &feed{wake: make(chan struct{}, 1)}
	f.moved.L = &f.mu
	return f
}

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
	f.moved.Broadcast()
}

// end lets nobody wait any more.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.moved.Broadcast()
}

// await waits until the result of an index, which the state has, was handed on: whoever is answered finds its effect everywhere.
func (f *feed) await(index uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.handed < index && !f.over {
		f.moved.Wait()
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
		for i := range results {
			c.happened(&results[i])
		}
		c.feed.handing.Unlock()
		if n := len(results); n > 0 {
			c.feed.passed(results[n-1].Index)
		}
	}
}

// happened notes what one command came to: the leader for its own memory, every node for those who watch.
func (c *Coordinator) happened(res *raftstore.Result) {
	if res.Refused != nil || res.Repeated != nil {
		return
	}
	if l := c.leading(); l != nil {
		l.noteAgents(res.Index, res.Agents)
		if res.Policy != nil {
			l.notePolicy(res.Index, *res.Policy)
		}
		l.observe(res.Jobs, res.Tasks)
		l.outbox.renew(res.Owed)
		for _, job := range res.Jobs {
			if job.Status.Ended() && job.Private && job.ErasedAt.IsZero() {
				c.retaining.wake()
			}
			if job.Status == farm.JobFailed {
				c.note(job.ID, "the job failed: "+job.Error)
			}
		}
	}
	c.notePace(res.Tasks)
	for _, job := range res.Jobs {
		c.hub.moved(job)
	}
	c.hub.movedTasks(res.Tasks)
	for _, a := range res.Agents {
		c.hub.publish(farm.Event{Kind: farm.EventMachine, ID: a.ID})
	}
	if res.Policy != nil {
		c.hub.publish(farm.Event{Kind: farm.EventFarm})
	}
	for _, changed := range res.Changed {
		if changed.Kind == farm.EventTemplate {
			c.reading.wake()
		}
		c.hub.publish(farm.Event{Kind: changed.Kind, Team: changed.Team, ID: changed.ID})
	}
}
