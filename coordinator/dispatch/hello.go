package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// hello reads the first message of an agent. It refuses an agent of a version of the protocol that cannot even be updated; protocol is the farm's.
func (s *session) hello(protocol int) (wire.Hello, error) {
	late := time.AfterFunc(helloWithin, s.close)
	defer late.Stop()
	m, err := s.conn.Read()
	if err != nil {
		return wire.Hello{}, fmt.Errorf("agent %s said no hello: %w", s.agent, err)
	}
	if m.Hello == nil {
		return wire.Hello{}, farm.Errorf(farm.CodeInvalid, "agent %s began its session with something other than hello", s.agent)
	}
	m.Curb()
	if version := m.Hello.Version; version < wire.FirstUpdatable {
		words := mismatch(version, protocol)
		s.refuse(words)
		return wire.Hello{}, farm.Errorf(farm.CodeInvalid, "refusing agent %s: %s", s.agent, words)
	}
	return *m.Hello, nil
}

// TurnAway ends the session of an agent of an earlier release, in words that its owner reads, and gives them as the error.
func (d *Dispatcher) TurnAway(conn AgentConn) error {
	late := time.AfterFunc(helloWithin, func() { _ = conn.Close("") })
	defer late.Stop()
	m, err := conn.Read()
	if err != nil {
		return fmt.Errorf("an agent of an earlier release said no hello: %w", err)
	}
	words := "agents show a certificate of the farm: update overcrank on the agent's machine"
	if m.Hello != nil && m.Hello.Version != d.cfg.Protocol {
		words = mismatch(m.Hello.Version, d.cfg.Protocol)
	}
	_ = conn.Close(words) // it ends either way
	return errors.New(words)
}

// mismatch says what to do about an agent of another version of the protocol than the farm's, in the 123 bytes for which the frame that closes
// a session has room.
func mismatch(version, protocol int) string {
	where := "the farm's server"
	if version < protocol {
		where = "the agent's machine"
	}
	return fmt.Sprintf("the agent speaks version %d of the farm's protocol, the farm version %d: update overcrank on %s", version, protocol, where)
}

// attach makes the session the agent's one, and settles what the agent says it holds with what the state says. known is the
// inventory that the state has; the agent is asked for another one when its hash is not that.
func (l *leader) attach(ctx context.Context, s *session, hello wire.Hello, known farm.Inventory) error {
	wanted := known.Hash() != hello.Inventory
	gone, err := l.welcome(s, hello, wanted)
	if err != nil {
		return err
	}
	lost, unheard := l.unheardOf(hello, gone)
	l.takeBack(ctx, false, lost...)
	l.takeBack(ctx, true, unheard...)
	if !wanted {
		l.equip(s, known)
	}
	l.recall(s)
	return nil
}

// welcome gives the session its place, with the welcome as its first message, and returns the leases that the agent knows nothing of.
func (l *leader) welcome(s *session, hello wire.Hello, wanted bool) (gone []*lease, err error) {
	l.granting.Lock()
	defer l.granting.Unlock()
	held, dropped, err := l.d.stillLeased(s.agent, hello.Holding)
	if err != nil {
		return nil, fmt.Errorf("reading the leases of agent %s: %w", s.agent, err)
	}
	queued, err := l.tasksOf(held, nil)
	if err != nil {
		return nil, fmt.Errorf("reading what agent %s works on: %w", s.agent, err)
	}
	coordinators, err := l.d.readNodeAddresses()
	if err != nil {
		return nil, err
	}
	m := wire.Message{Welcome: &wire.Welcome{
		HeartbeatSeconds: l.d.cfg.Lease.Seconds() / 6, LeaseSeconds: l.d.cfg.Lease.Seconds(), Drop: dropped,
		Addresses: l.d.cfg.Addresses, WantInventory: wanted, Coordinators: coordinators, Gossip: l.d.gossip.ForAgents(),
	}}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.takeLocked(s); err != nil {
		return nil, err
	}
	s.send(m)
	for i, t := range held {
		if queued[i].ID != "" {
			l.queue.Hold(queued[i], t.Agent, t.LeasedAt)
		}
	}
	l.d.log.Info("an agent is here", "agent", s.agent, "name", hello.Name, "address", s.address, "holding", len(held), "dropped", len(dropped))
	return l.reconcileLocked(s, held, hello.Holding), nil
}

// takeLocked makes the session the agent's one.
func (l *leader) takeLocked(s *session) error {
	if l.closed {
		return farm.Errorf(farm.CodeUnavailable, "this coordinator leads no more")
	}
	if old := l.sessions[s.agent]; old != nil {
		old.close()
	}
	l.sessions[s.agent] = s
	return nil
}

// readNodeAddresses is cluster.NodeAddresses for who reads nothing else.
func (d *Dispatcher) readNodeAddresses() (list []string, err error) {
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = d.cluster.NodeAddresses(tx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the addresses of the coordinators: %w", err)
	}
	return list, nil
}

// stillLeased parts the attempts that an agent holds into those that the state has in its hands, and the others.
func (d *Dispatcher) stillLeased(agent string, holding []wire.Attempt) (held []farm.Task, dropped []wire.Attempt, err error) {
	err = d.state.View(func(tx *raftstore.Tx) error {
		for _, at := range holding {
			t, err := tx.Task(at.Task)
			if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
				return err
			}
			if err != nil || t.Status != farm.TaskLeased || t.Attempt != at.Attempt || t.Agent != agent {
				dropped = append(dropped, at)
			} else {
				held = append(held, t)
			}
		}
		return nil
	})
	return held, dropped, err
}

// reconcileLocked keeps the leases alive that the agent still works on, and returns those that it knows nothing of.
func (l *leader) reconcileLocked(s *session, held []farm.Task, holding []wire.Attempt) (gone []*lease) {
	s.seen = l.d.state.Now()
	for _, t := range held {
		l.holdLocked(t).seen = s.seen
	}
	for _, h := range l.leasesOfLocked(s.agent) {
		switch {
		case slices.Contains(holding, h.Attempt), h.handing: // whoever puts it together finds this session
		case h.cancelled:
			l.releaseLocked(h.Task, h.Attempt.Attempt)
		default:
			gone = append(gone, h)
		}
	}
	return gone
}

// unheardMargin is by how much an agent must have been there before a lease, by two clocks, for that to be certain.
const unheardMargin = 2 * time.Second

// unheardOf parts leases that an agent knows nothing of into those that were lost with its process, and those that are no failures:
// they never reached it, since the process was there when they were granted and a link, or a leader, was lost on the way; or a backup
// brought them back.
func (l *leader) unheardOf(hello wire.Hello, gone []*lease) (lost, unheard []*lease) {
	up, now := time.Duration(hello.UpSeconds*float64(time.Second)), l.d.state.Now()
	for _, h := range gone {
		if h.brought || up > 0 && now.Sub(h.since)+unheardMargin < up {
			unheard = append(unheard, h)
		} else {
			lost = append(lost, h)
		}
	}
	return lost, unheard
}
