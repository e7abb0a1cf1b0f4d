package search

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// mostNoted is how many changed records are remembered by themselves.
const mostNoted = 1 << 16

// Changes are the records that have changed and that the index has not looked at since. Its methods may be called at the same time and do not
// wait: they are called while the state is being changed.
type Changes struct {
	wake chan struct{}

	mu    sync.Mutex
	noted map[note]struct{}
	lost  bool // some were not noted: everything has to be compared
	busy  bool // something came since calm was asked
}

// note is one record.
type note struct {
	kind Kind
	id   string
}

// NewChanges makes a list on which nothing stands.
func NewChanges() *Changes {
	return &Changes{wake: make(chan struct{}, 1), noted: map[note]struct{}{}}
}

// Note notes that a record was made, changed or forgotten.
func (c *Changes) Note(kind Kind, id string) {
	c.mu.Lock()
	c.busy = true
	if len(c.noted) < mostNoted {
		c.noted[note{kind, id}] = struct{}{}
	} else {
		c.loseLocked()
	}
	c.mu.Unlock()
	c.tell()
}

// Lose notes that anything may be different.
func (c *Changes) Lose() {
	c.mu.Lock()
	c.loseLocked()
	c.mu.Unlock()
	c.tell()
}

func (c *Changes) loseLocked() { c.noted, c.lost = map[note]struct{}{}, true }

// calm says that nothing was noted since it was asked before.
func (c *Changes) calm() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	calm := !c.busy
	c.busy = false
	return calm
}

func (c *Changes) tell() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// take gives what was noted since the last time, in the order of ids, so that records are numbered in it, at most limit of it; the rest stays.
func (c *Changes) take(limit int) (some []note, lost bool) {
	c.mu.Lock()
	lost, c.lost = c.lost, false
	some = slices.Collect(maps.Keys(c.noted))
	c.mu.Unlock()
	// Whoever changes the state waits for the lock, so many notes are sorted without it.
	slices.SortFunc(some, func(a, b note) int { return cmp.Or(strings.Compare(a.id, b.id), cmp.Compare(a.kind, b.kind)) })
	if len(some) > limit {
		some = some[:limit]
		c.tell()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range some { // what was noted again meanwhile is read after this, as it is then
		delete(c.noted, n)
	}
	return some, lost
}
