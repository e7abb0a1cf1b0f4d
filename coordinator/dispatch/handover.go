package dispatch

import (
	"context"
	"time"

	"overcrank/farm/wire"
	"overcrank/interval"
	"overcrank/raftstore"
)

const (
	// helloPatience is how long an agent's hello waits while nobody leads: then it is with the next leader in one step.
	helloPatience = 3 * time.Second
	// movePatience is how long a node that has lost the lead waits to hear of the next leader, to send its agents there.
	movePatience = 3 * time.Second
	// farewellWithin bounds how long the last message to an agent may take that does not read.
	farewellWithin = time.Second
	lookAround     = 20 * time.Millisecond
)

// whoLeads is the leader here, or the address at which another node leads. It waits for either until ctx ends; then both
// are empty.
func (d *Dispatcher) whoLeads(ctx context.Context) (here *leader, elsewhere string) {
	for {
		if l := d.leading(); l != nil {
			return l, ""
		}
		if address := d.leaderPublic(); address != "" {
			return nil, address
		}
		if interval.Wait(ctx, lookAround) != nil {
			return nil, ""
		}
	}
}

// leaderFor is whoLeads for an agent that has just come, which is given some time.
func (d *Dispatcher) leaderFor(ctx context.Context) (here *leader, elsewhere string) {
	ctx, cancel := context.WithTimeout(ctx, helloPatience)
	defer cancel()
	stop := context.AfterFunc(d.ctx, cancel)
	defer stop()
	return d.whoLeads(ctx)
}

// leaderPublic is the address at which agents reach the node that leads, "" while this one does or nobody.
func (d *Dispatcher) leaderPublic() (address string) {
	id, _ := d.raft.Leader()
	if id == "" || id == d.raft.ID() {
		return ""
	}
	err := d.state.View(func(tx *raftstore.Tx) error {
		node, err := tx.Coordinator(id)
		address = node.Public
		return err
	})
	if err != nil {
		return ""
	}
	return address
}

// move closes the session and tells the agent where the next leader is, "" when nobody knows.
func (s *session) move(leader string) {
	s.once.Do(func() {
		s.farewell = &wire.Message{Redirect: &wire.Redirect{Leader: leader}}
		close(s.ended)
	})
}

// endSessions sends the agents to the next leader.
func (l *leader) endSessions() {
	l.mu.Lock()
	l.closed = true
	sessions := make([]*session, 0, len(l.sessions))
	for _, s := range l.sessions {
		sessions = append(sessions, s)
	}
	l.mu.Unlock()
	next := ""
	if len(sessions) > 0 {
		ctx, cancel := context.WithTimeout(l.d.ctx, movePatience)
		_, next = l.d.whoLeads(ctx)
		cancel()
	}
	for _, s := range sessions {
		s.move(next)
	}
	for _, s := range sessions {
		<-s.done
	}
}
