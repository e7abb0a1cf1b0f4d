package dispatch

import (
	"context"
	"time"
)

const (
	// handsAtOnce is how many leases are put together at once, and how many of private jobs besides.
	handsAtOnce = 16
	// handWithin is how long putting a lease together may take, its turn at the storage included. Its task goes back into the queue then.
	handWithin = 10 * time.Second
)

// hands put leases together. What a private job keeps to itself lies in the storage, which may stall: such leases take their turns apart, so
// that the others, and whoever grants, wait for none of them.
type hands struct {
	crew           *crew
	turns, private chan struct{}
}

func newHands(crew *crew) *hands {
	return &hands{crew: crew, turns: make(chan struct{}, handsAtOnce), private: make(chan struct{}, handsAtOnce)}
}

// take has a lease put together, as soon as a hand is free for it; false when ctx ended first. The time that put has may be over when it is
// called.
func (h *hands) take(ctx context.Context, private bool, put func(within context.Context)) bool {
	if private {
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

// inTurn puts the lease of a private job together.
func (h *hands) inTurn(ctx context.Context, put func(within context.Context)) {
	within, cancel := context.WithTimeout(ctx, handWithin)
	defer cancel()
	select {
	case h.private <- struct{}{}:
		defer func() { <-h.private }()
	case <-within.Done():
	}
	put(within)
}
