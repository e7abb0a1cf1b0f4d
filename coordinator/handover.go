package coordinator

import (
	"context"
	"sync"
	"time"

	"overcrank/farm/wire"
	"overcrank/interval"
	"overcrank/raftstore"
)

const (
	// helloPatience is how long an agent's hello waits while nobody leads: then it is with the next leader in one step.
	helloPatience = 3 * time.Second
	// movePatience is how long a node that has lost the lead waits to hear of the next leader, to send its agents there.
	movePatience = time.Second
	// farewellWithin bounds how long the last message to an agent may take that does not read.
	farewellWithin = time.Second
	lookAround     = 20 * time.Millisecond
)

// whoLeads is the leader here, or the address at which another node leads. It waits for either until ctx ends; then both
// are empty.
func (c *Coordinator) whoLeads(ctx context.Context) (here *leader, elsewhere string) {
	for {
		if l := c.leading(); l != nil {
			return l, ""
		}
		if address := c.leaderPublic(); address != "" {
			return nil, address
		}
		if interval.Wait(ctx, lookAround) != nil {
			return nil, ""
		}
	}
}

// leaderFor is whoLeads for an agent that has just come, which is given some time.
func (c *Coordinator) leaderFor(ctx context.Context) (here *leader, elsewhere string) {
	ctx, cancel := context.WithTimeout(ctx, helloPatience)
	defer cancel()
	stop := context.AfterFunc(c.ctx, cancel)
	defer stop()
	return c.whoLeads(ctx)
}

// leaderPublic is the address at which agents reach the node that leads, "" while this one does or nobody.
func (c *Coordinator) leaderPublic() (address string) {
	id, _ := c.store.Leader()
	if id == "" || id == c.store.ID() {
		return ""
	}
	err := c.store.View(func(tx *raftstore.Tx) error {
		node, err := tx.Coordinator(id)
		address = node.Public
		return err
	})
	if err != nil {
		return ""
	}
	return address
}

// TakeLeave does what takes its time before Close, while this node still serves: it hands the lead over and tells gossip good-bye.
func (c *Coordinator) TakeLeave(ctx context.Context) {
	var leaving sync.WaitGroup
	defer leaving.Wait()
	leaving.Go(c.gossip.Leave)
	c.HandOver(ctx)
}

// HandOver gives the farm's lead to another coordinator, when this one has it, and waits until its agents have been sent there. A
// node that stops calls it before its server does. A farm of one node has nobody to hand over to.
func (c *Coordinator) HandOver(ctx context.Context) {
	if c.peers.Alone() || c.leading() == nil {
		return
	}
	if members, _, err := c.store.Members(); err != nil || len(members) < 2 {
		return
	}
	if err := c.store.TransferLead(ctx, ""); err != nil {
		c.log.Warn("the farm's lead could not be handed over; the others take it when this coordinator is gone", "error", err)
		return
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		c.terms.Wait()
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
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
		ctx, cancel := context.WithTimeout(l.c.ctx, movePatience)
		_, next = l.c.whoLeads(ctx)
		cancel()
	}
	for _, s := range sessions {
		s.move(next)
	}
	for _, s := range sessions {
		<-s.done
	}
}

// OtherAddresses are the base addresses at which the farm's other coordinators are reached, in the order of their ids.
func (c *Coordinator) OtherAddresses() []string {
	var list []string
	err := c.store.View(func(tx *raftstore.Tx) error {
		nodes, err := tx.Coordinators()
		for _, node := range nodes {
			if node.ID != c.store.ID() && node.Public != "" {
				list = append(list, node.Public)
			}
		}
		return err
	})
	if err != nil {
		c.log.Warn("reading where the farm's other coordinators are", "error", err)
	}
	return list
}
