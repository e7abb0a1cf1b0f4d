package state

import (
	"context"
	"slices"
	"sync"

	"overcrank/raftstore/command"
)

// Feed hands on what commands came to, in the order of the log, on every node: the state tells it and must not wait.
type Feed struct {
	wake chan struct{}

	mu      sync.Mutex
	waiting []command.Result
	handed  uint64 // index of the last result that was handed on
	over    bool   // none is handed on any more
	waiters []waiter

	handing sync.Mutex // held while results are handed on
}

// waiter waits until the result of an index was handed on. Each has a channel of its own: under load some dozen wait, and most
// would be woken for the results of others.
type waiter struct {
	index uint64
	done  chan struct{}
}

// NewFeed makes a feed to which nothing has come yet.
func NewFeed() *Feed { return &Feed{wake: make(chan struct{}, 1)} }

// Push takes what commands came to.
func (f *Feed) Push(results []command.Result) {
	f.mu.Lock()
	f.waiting = append(f.waiting, results...)
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// pull gives what has come since the last time.
func (f *Feed) pull() []command.Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	results := f.waiting
	f.waiting = nil
	return results
}

// passed notes that all up to an index was handed on.
func (f *Feed) passed(index uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handed = index
	f.releaseLocked()
}

// releaseLocked lets those go on who need not wait any more.
func (f *Feed) releaseLocked() {
	f.waiters = slices.DeleteFunc(f.waiters, func(w waiter) bool {
		if w.index > f.handed && !f.over {
			return false
		}
		close(w.done)
		return true
	})
}

// end lets nobody wait any more.
func (f *Feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.releaseLocked()
}

// Await waits until the result of an index, which the state has, was handed on: whoever is answered finds its effect everywhere. ctx bounds
// the waiting.
func (f *Feed) Await(ctx context.Context, index uint64) {
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

// Run hands results on until ctx ends. After that nobody waits any more for those that come.
func (f *Feed) Run(ctx context.Context, hand func(results []command.Result)) {
	defer f.end()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		}
		f.handing.Lock()
		results := f.pull()
		hand(results)
		f.handing.Unlock()
		if n := len(results); n > 0 {
			f.passed(results[n-1].Index)
		}
	}
}

// Between does something while no results are handed on, so that it finds each of them noted wholly or not at all.
func (f *Feed) Between(do func() error) error {
	f.handing.Lock()
	defer f.handing.Unlock()
	return do()
}
