package coordinator

import (
	"context"

	"overcrank/farm"
)

// Watch tells of what happens in the caller's team until ctx ends, and then closes the channel. A watcher that is too slow
// misses events, never holds others up; Lost on the next event then says so. An event without a kind only says that.
func (c *Coordinator) Watch(ctx context.Context, p farm.Principal) <-chan farm.Event {
	return c.hub.Watch(ctx, p.Team, nil)
}

// WatchSome is Watch for the events that wants says yes to. It is asked often and by many: it must not wait.
func (c *Coordinator) WatchSome(ctx context.Context, p farm.Principal, wants func(farm.Event) bool) <-chan farm.Event {
	return c.hub.Watch(ctx, p.Team, wants)
}

// Sorted tells those who watch a team at this node that all of its jobs can be sorted.
func (c *Coordinator) Sorted(team string) {
	c.hub.Publish(farm.Event{Kind: farm.EventOrder, Team: team})
}
