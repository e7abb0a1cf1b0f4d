package coordinator

import (
	"context"
	"sync"
	"time"

	"overcrank/farm"
)

const (
	watcherRoom   = 256                    // events that a watcher may lag behind
	progressPause = 250 * time.Millisecond // between two progress events of a job
)

// hub passes events on to watchers. It never waits for one.
type hub struct {
	mu       sync.Mutex
	closed   bool
	watchers map[*watcher]struct{}
	taps     map[*tap]struct{}
	progress map[string]farm.Event // by job: the latest, not passed on yet
	fresh    chan struct{}         // progress holds something
}

// tap is another node that follows what this one tells.
type tap struct {
	some chan struct{} // there may be something to take

	mu      sync.Mutex
	waiting []toldEvent
	lost    bool
}

type watcher struct {
	team   string
	wants  func(farm.Event) bool // nil for all
	events chan farm.Event
	lost   bool
}

func newHub() *hub {
	return &hub{watchers: map[*watcher]struct{}{}, taps: map[*tap]struct{}{}, progress: map[string]farm.Event{}, fresh: make(chan struct{}, 1)}
}

// Watch tells of what happens in the caller's team until ctx ends, and then closes the channel. A watcher that is too slow
// misses events, never holds others up; Lost on the next event then says so. An event without a kind only says that.
func (c *Coordinator) Watch(ctx context.Context, p farm.Principal) <-chan farm.Event {
	return c.WatchSome(ctx, p, nil)
}

// WatchSome is Watch for the events that wants says yes to. It is asked often and by many: it must not wait.
func (c *Coordinator) WatchSome(ctx context.Context, p farm.Principal, wants func(farm.Event) bool) <-chan farm.Event {
	w := &watcher{team: p.Team, wants: wants, events: make(chan farm.Event, watcherRoom)}
	c.hub.add(w)
	context.AfterFunc(ctx, func() { c.hub.remove(w) })
	return w.events
}

func (h *hub) add(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(w.events)
		return
	}
	h.watchers[w] = struct{}{}
}

func (h *hub) remove(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.watchers[w]; ok {
		delete(h.watchers, w)
		close(w.events)
	}
}

// count is how many watch.
func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.watchers)
}

func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for w := range h.watchers {
		delete(h.watchers, w)
		close(w.events)
	}
}

// tap begins to collect what is spread.
func (h *hub) tap() *tap {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &tap{some: make(chan struct{}, 1)}
	h.taps[t] = struct{}{}
	return t
}

func (h *hub) untap(t *tap) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.taps, t)
}

func (t *tap) add(e farm.Event) {
	t.mu.Lock()
	if len(t.waiting) < tapRoom {
		t.waiting = append(t.waiting, toldEvent{Event: e, Team: e.Team})
	} else {
		t.lost = true
	}
	t.mu.Unlock()
	select {
	case t.some <- struct{}{}:
	default:
	}
}

// take gives what was collected since it was asked last.
func (t *tap) take() []toldEvent {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.waiting
	t.waiting = nil
	return list
}

// overran tells whether more came than there was room for.
func (t *tap) overran() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// lose tells all watchers that they have missed events.
func (h *hub) lose() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		w.lost = true
		w.tell(farm.Event{})
	}
}

// spread is publish for what the other nodes cannot know by themselves: they are told.
func (h *hub) spread(e farm.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sendAll(e)
}

// publish tells all watchers of the event's team, or of every team when it has none.
func (h *hub) publish(e farm.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Kind == farm.EventJob {
		delete(h.progress, e.ID) // it is of before the job moved
	}
	h.send(e)
}

// moved tells of a job that moved, and with it of the one that it is nested in, which shows it.
func (h *hub) moved(job *farm.Job) {
	h.publish(farm.Event{Kind: farm.EventJob, Team: job.Team, ID: job.ID})
	if job.Parent != "" {
		h.publish(farm.Event{Kind: farm.EventJob, Team: job.Team, ID: job.Parent})
	}
}

// movedTasks tells of tasks that were made or moved.
func (h *hub) movedTasks(tasks []farm.Task) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.watchers) == 0 {
		return
	}
	for _, t := range tasks {
		h.send(farm.Event{Kind: farm.EventTask, Team: t.Team, ID: t.ID, Job: t.Job})
	}
}

func (h *hub) send(e farm.Event) {
	for w := range h.watchers {
		if e.Team != "" && e.Team != w.team || w.wants != nil && !w.wants(e) {
			continue
		}
		w.tell(e)
	}
}

// sendAll is send to the other nodes as well.
func (h *hub) sendAll(e farm.Event) {
	for t := range h.taps {
		t.add(e)
	}
	h.send(e)
}

func (w *watcher) tell(e farm.Event) {
	e.Lost = w.lost
	select {
	case w.events <- e:
		w.lost = false
	default:
		w.lost = true
	}
}

// report takes the progress of a job, to be told within the pace that watchers can follow.
func (h *hub) report(e farm.Event) {
	h.mu.Lock()
	h.progress[e.ID] = e
	h.mu.Unlock()
	select {
	case h.fresh <- struct{}{}:
	default:
	}
}

// run passes progress on: the first at once, then the latest of each job at every pause.
func (h *hub) run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.fresh:
		}
		h.flush()
		pause.Reset(progressPause)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

func (h *hub) flush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, e := range h.progress {
		h.sendAll(e)
		delete(h.progress, id)
	}
}
