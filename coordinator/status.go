package coordinator

import (
	"context"

	"overcrank/farm"
	"overcrank/raftstore"
)

// Status is what the farm is at. It costs the same however much the farm has done before. Beside an error is what could be told without
// the leader.
func (c *Coordinator) Status(ctx context.Context, p farm.Principal) (farm.Status, error) {
	return c.status(ctx, p, true)
}

// Pulse is Status without Ready, for which a new leader would have to read its queue first.
func (c *Coordinator) Pulse(ctx context.Context, p farm.Principal) (farm.Status, error) {
	s, err := c.status(ctx, p, false)
	s.Ready = 0
	return s, err
}

func (c *Coordinator) status(ctx context.Context, p farm.Principal, queue bool) (farm.Status, error) {
	var s farm.Status
	var err error
	if s.Jobs, err = c.CountJobs(ctx, p); err != nil {
		return s, err
	}
	var enrolled int
	err = c.state.View(func(tx *raftstore.Tx) error {
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
	now, err := c.Summary(ctx, queue)
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
