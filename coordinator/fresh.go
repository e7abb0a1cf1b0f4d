package coordinator

import (
	"context"

	"overcrank/raftstore"
)

// Fresh waits until this node shows all that any node has acknowledged before; every request of a caller begins with it. It
// fails with CodeUnavailable while the farm has no leader.
func (c *Coordinator) Fresh(ctx context.Context) error { return c.store.Fresh(ctx) }

// IsFresh says whether Fresh need not wait, nor be bounded.
func (c *Coordinator) IsFresh() bool { return c.store.IsFresh() }

// Led is not nil where a request that writes may leave out Fresh: WithLed then binds what it writes to what it has read, with
// ErrLedNoMore for one that has to begin again, and before it is refused LedStill has to say that it may be.
func (c *Coordinator) Led() *Led { return c.store.Led() }

// Led is a time in which a coordinator leads the farm, see raftstore.Led.
type Led = raftstore.Led

// ErrLedNoMore is of a request that Led let through and that has to begin again, with Fresh; nothing of it was done.
var ErrLedNoMore = raftstore.ErrLedNoMore

// WithLed is the context of a request that Led let through.
func WithLed(ctx context.Context, led *Led) context.Context {
	return raftstore.WithLed(ctx, led)
}

// LedStill is nil when all that a request has read since Led was fresh.
func (c *Coordinator) LedStill(ctx context.Context, led *Led) error {
	return c.store.LedStill(ctx, led)
}
