package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"overcrank/coordinator/enrolment"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	helloWithin = 10 * time.Second
	sessionRoom = 256 // messages that may wait for the agent to read
)

// AgentConn is an agent's open connection. Read is called from one goroutine, Write from several; Close sends what was written, ends
// both, and tells the agent's owner the reason unless that is "".
type AgentConn interface {
	Read() (wire.Message, error)
	Write(wire.Message) error
	Close(reason string) error
	RemoteAddr() string
}

// session is an agent's open connection to the leader.
type session struct {
	agent, address string
	own            string // what the machine calls itself
	conn           AgentConn
	out            chan *wire.Message
	ended          chan struct{} // closed by close
	done           chan struct{} // closed when ServeAgent is through
	once           sync.Once
	reports        reports
	reason         string        // why it was closed; "" when there is nothing to tell. Read behind ended
	farewell       *wire.Message // the last message, nil for none. Read behind ended

	// guarded by leader.mu
	name         string // of the machine on the farm
	seen         time.Time
	equipped     bool // the queue knows what it has
	availability farm.Availability
	standing     wire.Standing // as the machine was told last
	slots        int           // tasks that it runs at once
	rests        time.Time     // until when it gets no work; zero when it does not rest
	cached       []string      // as in wire.Heartbeat
	// unrecorded is what the machine told that it has, of which the farm's level did not let all be recorded; nil for nothing.
	unrecorded *farm.Inventory
}

// send queues a message. An agent that does not read is disconnected: it comes back and is told what it missed.
func (s *session) send(m wire.Message) {
	select {
	case s.out <- &m:
	default:
		s.close()
	}
}

func (s *session) close() { s.refuse("") }

// refuse closes the session for a reason that the agent's owner can do something about.
func (s *session) refuse(reason string) {
	s.once.Do(func() {
		s.reason = reason
		close(s.ended)
	})
}

// ServeAgent runs the session of an agent until it ends.
func (d *Dispatcher) ServeAgent(ctx context.Context, a farm.Agent, conn AgentConn) error {
	defer func() { _ = conn.Close("") }() // it may be closed already
	done := d.cfg.Begin()
	if done == nil {
		return farm.Errorf(farm.CodeUnavailable, "this coordinator is stopping")
	}
	defer done()
	l, elsewhere := d.leaderFor(ctx)
	if l == nil {
		if err := conn.Write(wire.Message{Redirect: &wire.Redirect{Leader: elsewhere}}); err != nil {
			return fmt.Errorf("sending an agent on: %w", err)
		}
		return nil
	}
	s := &session{
		agent: a.ID, name: a.Name, address: conn.RemoteAddr(), conn: conn,
		out: make(chan *wire.Message, sessionRoom), ended: make(chan struct{}), done: make(chan struct{}),
	}
	defer close(s.done)

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(d.ctx, s.close)
	defer stop()
	var ends sync.WaitGroup
	defer ends.Wait()
	defer s.close()
	ends.Go(func() { s.hangUp(ctx) })
	return l.serve(ctx, a, s)
}

// hangUp closes the connection when the session ends, which ends Read and Write.
func (s *session) hangUp(ctx context.Context) {
	reason := ""
	select {
	case <-s.ended:
		if reason = s.reason; s.farewell != nil {
			late := time.AfterFunc(farewellWithin, func() { _ = s.conn.Close("") })
			defer late.Stop()
			_ = s.conn.Write(*s.farewell) // an agent that has gone looks for the leader by itself
		}
	case <-ctx.Done():
	}
	_ = s.conn.Close(reason) // it ends either way, and the agent comes back
}

func (l *leader) serve(ctx context.Context, a farm.Agent, s *session) error {
	hello, err := s.hello()
	if err != nil {
		return err
	}
	if !names.IsTitle(hello.Name) {
		hello.Name = a.Name
	}
	s.own = hello.Name
	if a.Named {
		hello.Name = a.Name
	}
	s.name = hello.Name
	if err := l.d.enrolled.Confirm(ctx, a); err != nil {
		if farm.CodeOf(err) == farm.CodeUnauthorized {
			s.refuse(enrolment.RetiredWords)
		}
		return err
	}
	if err := l.d.raft.Fresh(ctx); err != nil { // what the agent holds may have been leased by another leader
		return err
	}
	known, err := l.d.inventoryOf(a.ID)
	if err != nil {
		return err
	}
	if a.Name != hello.Name {
		if _, err := l.d.state.Apply(ctx, command.PutInventory{ID: a.ID, Name: hello.Name, Inventory: known}); err != nil {
			return fmt.Errorf("recording the name of agent %s: %w", a.ID, err)
		}
	}
	if err := l.attach(ctx, s, hello, known); err != nil {
		return err
	}
	defer l.detach(s)

	var writer sync.WaitGroup
	defer writer.Wait()
	defer s.close()
	writer.Go(s.write)
	silence := time.AfterFunc(l.d.cfg.Lease, s.close)
	defer silence.Stop()
	for {
		m, err := s.conn.Read()
		if err != nil {
			return l.endOf(ctx, s, err)
		}
		silence.Reset(l.d.cfg.Lease)
		if m.Heartbeat != nil {
			if why := l.d.enrolled.StillEnrolled(a); why != "" {
				s.refuse(why)
				continue // Read ends with the connection
			}
		}
		l.receive(ctx, s, m)
	}
}

// endOf tells an end that somebody wanted from one that just happened.
func (l *leader) endOf(ctx context.Context, s *session, err error) error {
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return nil
	default:
		return fmt.Errorf("session of agent %s: %w", s.agent, err)
	}
}

func (s *session) hello() (wire.Hello, error) {
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
	if version := m.Hello.Version; version != wire.Version {
		s.refuse(mismatch(version))
		return wire.Hello{}, farm.Errorf(farm.CodeInvalid, "refusing agent %s: %s", s.agent, mismatch(version))
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
	if m.Hello != nil && m.Hello.Version != wire.Version {
		words = mismatch(m.Hello.Version)
	}
	_ = conn.Close(words) // it ends either way
	return errors.New(words)
}

// mismatch says what to do about an agent of another version of the protocol, in the 123 bytes for which the frame that closes
// a session has room.
func mismatch(version int) string {
	where := "the farm's server"
	if version < wire.Version {
		where = "the agent's machine"
	}
	return fmt.Sprintf("the agent speaks version %d of the farm's protocol, the farm version %d: update overcrank on %s", version, wire.Version, where)
}

// write sends what is queued until the session ends.
func (s *session) write() {
	for {
		select {
		case <-s.ended:
			return
		case m := <-s.out:
			if err := s.conn.Write(*m); err != nil {
				s.close()
				return
			}
		}
	}
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
	if l.closed {
		return nil, farm.Errorf(farm.CodeUnavailable, "this coordinator leads no more")
	}
	if old := l.sessions[s.agent]; old != nil {
		old.close()
	}
	l.sessions[s.agent] = s
	s.send(m)
	for i, t := range held {
		if queued[i].ID != "" {
			l.queue.Hold(queued[i], t.Agent, t.LeasedAt)
		}
	}
	l.d.log.Info("an agent is here", "agent", s.agent, "name", hello.Name, "address", s.address, "holding", len(held), "dropped", len(dropped))
	return l.reconcileLocked(s, held, hello.Holding), nil
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

// detach forgets the session, unless another one of the same agent has taken its place.
func (l *leader) detach(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions[s.agent] != s {
		return
	}
	delete(l.sessions, s.agent)
	l.lastSeen[s.agent] = s.seen
	l.queue.Disconnect(s.agent)
	l.wake() // tasks that avoid other machines may have no choice now
	l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: s.agent})
	l.d.log.Info("an agent is gone", "agent", s.agent, "name", s.name)
}

// dismiss ends the session of an agent that is none any more, and gives its tasks to others.
func (l *leader) dismiss(ctx context.Context, id string) (none struct{}, _ error) {
	l.granting.Lock() // no lease is on its way to it
	defer l.granting.Unlock()
	l.mu.Lock()
	s := l.sessions[id]
	leases := l.leasesOfLocked(id)
	delete(l.lastSeen, id)
	delete(l.standings, id)
	delete(l.recent, id)
	l.queue.RemoveMachine(id)
	l.mu.Unlock()
	if s != nil {
		s.refuse(enrolment.RetiredWords)
	}
	if len(leases) > 0 {
		l.takeBack(ctx, true, leases...)
	}
	l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: id})
	return none, nil
}
