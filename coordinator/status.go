package coordinator

import (
	"context"

	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/raftstore"
)

// Status is what the farm is at. It costs the same however much the farm has done before. Beside an error is what could be told without
// the leader.
func (c *Coordinator) Status(ctx context.Context, p farm.Principal) (farm.Status, error) {
	return c.status(ctx, p, summaryAsked{Queue: true})
}

// Pulse is Status without Ready, for which a new leader would have to read its queue first.
func (c *Coordinator) Pulse(ctx context.Context, p farm.Principal) (farm.Status, error) {
	s, err := c.status(ctx, p, summaryAsked{})
	s.Ready = 0
	return s, err
}

func (c *Coordinator) status(ctx context.Context, p farm.Principal, asked summaryAsked) (farm.Status, error) {
	var s farm.Status
	var err error
	if s.Jobs, err = c.CountJobs(ctx, p); err != nil {
		return s, err
	}
	var enrolled int
	err = c.store.View(func(tx *raftstore.Tx) error {
		policy, err := tx.Policy()
		if err != nil {
			return err
		}
		s.Paused, s.PausedAt, s.PausedBy = policy.Paused, policy.PausedAt, policy.PausedBy
		enrolled, err = tx.CountAgents()
		return err
	})
	if err != nil {
		return s, err
	}
	s.Done, s.Failed, s.Since = c.pace.told(c.cfg.Now())
	now, err := peers.AskLeader(ctx, c.peers, askSummary, asked)
	if err != nil {
		return s, err
	}
	s.Leased, s.Ready, s.Slots, s.Machines = now.Leased, now.Ready, now.Slots, now.Machines
	online := 0
	for _, n := range s.Machines {
		online += n
	}
	s.Machines[farm.MachineOffline] = max(enrolled-online, 0)
	return s, nil
}

// summary counts machines and tasks.
func (l *leader) summary(ctx context.Context, asked summaryAsked) (summary, error) {
	if asked.Queue {
		if err := l.queueRead(ctx); err != nil {
			return summary{}, err
		}
	}
	read := l.hasRead()
	l.mu.Lock()
	defer l.mu.Unlock()
	s := summary{Leased: len(l.leases), Ready: l.queue.Len(), Read: read, Owed: l.outbox.Len(), Machines: map[farm.MachineState]int{}}
	for id, session := range l.sessions {
		s.Slots += min(session.slots, l.policy.MostSlots())
		m := farm.Machine{Online: true, Availability: session.availability, Running: make([]farm.RunningTask, len(l.byAgent[id]))}
		l.standings[id].describe(&m, l.c.cfg.Now())
		s.Machines[m.State()]++
	}
	return s, nil
}
