package dispatch

import (
	"context"
	"slices"
	"time"

	"overcrank/farm/wire"
	"overcrank/interval"
)

// tellEvery is how often is looked whether the farm has other coordinators than the agents have been told. They are a handful of records.
const tellEvery = time.Second

// tellLoop keeps the agents that are linked informed of who the farm's coordinators are: one that knew only those of its beginning would
// be lost with them.
func (l *leader) tellLoop(ctx context.Context) {
	told, err := l.d.readNodeAddresses()
	interval.Every(ctx, tellEvery, func() {
		now, failed := l.d.readNodeAddresses()
		if failed != nil {
			l.d.log.Warn("the agents are not told who the coordinators are", "error", failed)
			return
		}
		if err == nil && slices.Equal(now, told) {
			return
		}
		told, err = now, nil
		l.tellAll(wire.Message{Coordinators: &wire.Coordinators{Addresses: now}})
	})
}

// tellAll sends something to all agents that are linked.
func (l *leader) tellAll(m wire.Message) {
	l.granting.Lock() // no session is between its place in the list and its welcome, or has one that is about to be old
	defer l.granting.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sessions {
		s.send(m)
	}
}

// TellAgents tells the agents that are linked to this node, if it leads, how gossip goes on.
func (d *Dispatcher) TellAgents(gossip wire.Gossip) {
	if l := d.leading(); l != nil {
		l.tellAll(wire.Message{Gossip: &gossip})
	}
}
