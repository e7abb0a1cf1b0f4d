package dispatch

import (
	"context"
	"time"
)

const (
	// handsAtOnce is how many leases are put together at once, and how many besides of those that need the storage.
	handsAtOnce = 16
	// handWithin is how long putting a lease together may take, its turn at the storage included. Its task goes back into the queue then.
	handWithin = 10 * time.Second
)

// hands put leases together. What some of them need lies in the storage, which may stall: such leases take their turns apart, so that the
// others, and whoever grants, wait for none of them.
type hands struct {
	crew          *crew
	turns, stored chan struct{}
}

func newHands(crew *crew) *hands {
	return &hands{crew: crew, turns: make(chan struct{}, handsAtOnce), stored: make(chan struct{}, handsAtOnce)}
}

// take has a lease put together, as soon as a hand is free for it; false when ctx ended first. stored says that it needs the storage: the time
// that put has may be over then when it is called.
func (h *hands) take(ctx context.Context, stored bool, put func(within context.Context)) bool {
	if stored {
		h.crew.carryOut(func() { h.inTurn(ctx, put) })
		return true
	}
	select {
	case h.turns <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	h.crew.carryOut(func() {
		defer func() { <-h.turns }()
		within, cancel := context.WithTimeout(ctx, handWithin)
		defer cancel()
		put(within)
	})
	return true
}

// inTurn puts a lease together that needs the storage.
func (h *hands) inTurn(ctx context.Context, put func(within context.Context)) {
	within, cancel := context.WithTimeout(ctx, handWithin)
	defer cancel()
	select {
	case h.stored <- struct{}{}:
		defer func() { <-h.stored }()
	case <-within.Done():
	}
	put(within)
}
