// Package events tells those who watch of what happens on the farm: browsers and programs at this node, and the other nodes.
package events

import (
	"context"
	"sync"
	"time"

	"overcrank/farm"
)

const (
	watcherRoom   = 256                    // events that a watcher may lag behind
	progressPause = 250 * time.Millisecond // between two progress events of a job
	tapRoom       = 4096                   // events that another node may lag behind
)

// Hub passes events on to those who watch. It never waits for one of them. Its methods may be called at the same time.
type Hub struct {
	mu       sync.Mutex
	closed   bool
	watchers map[*watcher]struct{}
	taps     map[*Tap]struct{}
	progress map[string]farm.Event // by job: the latest, not passed on yet
	fresh    chan struct{}         // progress holds something
}

// Tap collects what another node is told.
type Tap struct {
	some chan struct{} // there may be something to take

	mu      sync.Mutex
	waiting []Told
	lost    bool
}

type watcher struct {
	team   string
	wants  func(farm.Event) bool // nil for all
	events chan farm.Event
	lost   bool
}

// New is a hub that nobody watches yet.
func New() *Hub {
	return &Hub{watchers: map[*watcher]struct{}{}, taps: map[*Tap]struct{}{}, progress: map[string]farm.Event{}, fresh: make(chan struct{}, 1)}
}

// Watch tells of what happens in a team until ctx ends, and then closes the channel: of events that wants says yes to, of all when it is
// nil. It is asked often and by many: it must not wait. A watcher that is too slow misses events, never holds others up; Lost on the
// next event then says so. An event without a kind only says that.
func (h *Hub) Watch(ctx context.Context, team string, wants func(farm.Event) bool) <-chan farm.Event {
	w := &watcher{team: team, wants: wants, events: make(chan farm.Event, watcherRoom)}
	h.add(w)
	context.AfterFunc(ctx, func() { h.remove(w) })
	return w.events
}

func (h *Hub) add(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(w.events)
		return
	}
	h.watchers[w] = struct{}{}
}

func (h *Hub) remove(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.watchers[w]; ok {
		delete(h.watchers, w)
		close(w.events)
	}
}

// Count is how many watch.
func (h *Hub) Count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.watchers)
}

// Close ends all watching.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for w := range h.watchers {
		delete(h.watchers, w)
		close(w.events)
	}
}

// Tap begins to collect what is spread, until Untap.
func (h *Hub) Tap() *Tap {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &Tap{some: make(chan struct{}, 1)}
	h.taps[t] = struct{}{}
	return t
}

// Untap ends the collecting.
func (h *Hub) Untap(t *Tap) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.taps, t)
}

func (t *Tap) add(e farm.Event) {
	t.mu.Lock()
	if len(t.waiting) < tapRoom {
		t.waiting = append(t.waiting, NewTold(e))
	} else {
		t.lost = true
	}
	t.mu.Unlock()
	select {
	case t.some <- struct{}{}:
	default:
	}
}

// Take gives what was collected since it was asked last.
func (t *Tap) Take() []Told {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.waiting
	t.waiting = nil
	return list
}

// Some says that there may be something to take.
func (t *Tap) Some() <-chan struct{} { return t.some }

// Overran tells whether more came than there was room for.
func (t *Tap) Overran() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// Lose tells all watchers that they have missed events.
func (h *Hub) Lose() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.watchers {
		w.lost = true
		w.tell(farm.Event{})
	}
}

// Spread is Publish for what the other nodes cannot know by themselves: they are told.
func (h *Hub) Spread(e farm.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sendAll(e)
}

// Publish tells all watchers of the event's team, or of every team when it has none.
func (h *Hub) Publish(e farm.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e.Kind == farm.EventJob {
		delete(h.progress, e.ID) // it is of before the job moved
	}
	h.send(e)
}

// Moved tells of a job that moved, and with it of the one that it is nested in, which shows it.
func (h *Hub) Moved(job *farm.Job) {
	h.Publish(farm.Event{Kind: farm.EventJob, Team: job.Team, ID: job.ID})
	if job.Parent != "" {
		h.Publish(farm.Event{Kind: farm.EventJob, Team: job.Team, ID: job.Parent})
	}
}

// MovedTasks tells of tasks that were made or moved.
func (h *Hub) MovedTasks(tasks []farm.Task) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.watchers) == 0 {
		return
	}
	for _, t := range tasks {
		h.send(farm.Event{Kind: farm.EventTask, Team: t.Team, ID: t.ID, Job: t.Job})
	}
}

func (h *Hub) send(e farm.Event) {
	for w := range h.watchers {
		if e.Team != "" && e.Team != w.team || w.wants != nil && !w.wants(e) {
			continue
		}
		w.tell(e)
	}
}

// sendAll is send to the other nodes as well.
func (h *Hub) sendAll(e farm.Event) {
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

// Report takes the progress of a job, to be told within the pace that watchers can follow.
func (h *Hub) Report(e farm.Event) {
	h.mu.Lock()
	h.progress[e.ID] = e
	h.mu.Unlock()
	select {
	case h.fresh <- struct{}{}:
	default:
	}
}

// Run passes progress on: the first at once, then the latest of each job at every pause.
func (h *Hub) Run(ctx context.Context) {
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

func (h *Hub) flush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, e := range h.progress {
		h.sendAll(e)
		delete(h.progress, id)
	}
}

// Told is an event on its way between two nodes, which need its team.
type Told struct {
	farm.Event
	Team string `json:"team,omitempty"`
}

// NewTold is an event as another node is told of it.
func NewTold(e farm.Event) Told { return Told{Event: e, Team: e.Team} }

// Heard is the event as the node that was told of it passes it on.
func (e Told) Heard() farm.Event {
	e.Event.Team, e.Lost = e.Team, false
	return e.Event
}
