package dispatch

import (
	"context"
	"fmt"
	"sync"
	"time"

	"overcrank/coordinator/enrolment"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/farm/wire"
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
	protocol       int    // version of the agents' protocol, if it is another than the farm's: the session is for updates alone. 0 for the farm's
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
	load         *farm.Load      // nil while it is not known
	rules        *farm.WorkRules // the same
	standing     wire.Standing   // as the machine was told last
	update       *wire.Update    // that the machine was told last; nil for none
	ffmpeg       *wire.FFmpeg    // that the machine was told last; nil for none
	system, arch string          // of the machine, as Go names them; "" before it has told what it has
	updates      bool            // it has told what it runs, and so understands updates
	slots        int             // tasks that it runs at once
	shut         bool            // the queue was told that it is outside the farm's hours for it
	rests        time.Time       // until when it gets no work; zero when it does not rest
	cached       []string        // as in wire.Heartbeat
	// unrecorded is what the machine told that it has, of which the farm's level did not let all be recorded; nil for nothing.
	unrecorded *farm.Inventory
}

// send queues a message, unless the agent speaks another version of the protocol and may not understand it. An agent that does not read is
// disconnected: it comes back and is told what it missed.
func (s *session) send(m wire.Message) {
	if s.protocol != 0 && !m.Stable() {
		return
	}
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
	hello, err := s.hello(l.d.cfg.Protocol)
	if err != nil {
		return err
	}
	if hello.Version != l.d.cfg.Protocol {
		return l.serveOther(ctx, a, s, hello.Version)
	}
	if !names.IsTitle(hello.Name) {
		hello.Name = a.Name
	}
	s.own = hello.Name
	if a.Named {
		hello.Name = a.Name
	}
	s.name = hello.Name
	if err := l.confirm(ctx, a, s); err != nil {
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
	return l.converse(ctx, a, s)
}

// confirm refuses an agent that has left the farm.
func (l *leader) confirm(ctx context.Context, a farm.Agent, s *session) error {
	err := l.d.enrolled.Confirm(ctx, a)
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		s.refuse(enrolment.RetiredWords)
	}
	return err
}

// converse carries an attached session until it ends.
func (l *leader) converse(ctx context.Context, a farm.Agent, s *session) error {
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
		if m.Heartbeat != nil || s.protocol != 0 {
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
	delete(l.days, id)
	delete(l.standings, id)
	delete(l.recent, id)
	delete(l.updates.machines, id)
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
