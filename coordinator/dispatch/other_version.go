package dispatch

import (
	"context"
	"fmt"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// serveOther carries the session of an agent that speaks another version of the protocol: it can be told to run a release, and report how that went.
// It cannot work, so what it holds goes to other machines.
func (l *leader) serveOther(ctx context.Context, a farm.Agent, s *session, version int) error {
	s.own, s.name, s.protocol = a.Name, a.Name, version
	if err := l.confirm(ctx, a, s); err != nil {
		return err
	}
	if err := l.d.raft.Fresh(ctx); err != nil { // what the agent holds may have been leased by another leader
		return err
	}
	held, err := l.attachOther(s)
	if err != nil {
		return err
	}
	defer l.detach(s)
	l.takeBack(ctx, true, held...)
	return l.converse(ctx, a, s)
}

// attachOther makes the session the agent's one, with OtherVersion as its first message, and returns the leases that the agent holds.
func (l *leader) attachOther(s *session) (held []*lease, err error) {
	l.granting.Lock() // no lease is on its way to it
	defer l.granting.Unlock()
	coordinators, err := l.d.readNodeAddresses()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.takeLocked(s); err != nil {
		return nil, err
	}
	s.send(wire.Message{OtherVersion: &wire.OtherVersion{
		Version: l.d.cfg.Protocol, HeartbeatSeconds: l.d.cfg.Lease.Seconds() / 6, Coordinators: coordinators,
	}})
	s.seen = l.d.state.Now()
	s.availability = farm.Availability{Presence: farm.PresenceAway, NotReady: true, Reason: otherWords(s.protocol, l.d.cfg.Protocol)}
	l.queue.Disconnect(s.agent)
	l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: s.agent})
	l.d.log.Warn("an agent of another version of the protocol is here: it gets no work until it is updated", "agent", s.agent, "name", s.name,
		"address", s.address, "speaks", s.protocol, "the_farm_speaks", l.d.cfg.Protocol)
	return l.leasesOfLocked(s.agent), nil
}

// otherWords is why a machine whose agent speaks another version of the protocol gets no work, as people read it at the machine's name.
func otherWords(version, protocol int) string {
	if version > protocol {
		return fmt.Sprintf("its agent is newer than the farm (protocol %d, the farm's is %d): update the coordinators", version, protocol)
	}
	return fmt.Sprintf("its agent is too old for the farm (protocol %d, the farm's is %d): it gets no work until it is updated", version, protocol)
}
