package coordinator

import (
	"cmp"
	"context"
	"slices"

	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// Machines lists the farm's workstations by name. Of another team's work it tells only that there is some.
func (c *Coordinator) Machines(ctx context.Context, p farm.Principal) ([]farm.Machine, error) {
	var agents []farm.Agent
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		agents, err = tx.Agents()
		return err
	})
	if err != nil {
		return nil, err
	}
	list, err := c.machinesOf(ctx, p, agents)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b farm.Machine) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// aliveByGossip are the machines that gossip has alive.
func (c *Coordinator) aliveByGossip() map[string]bool {
	alive := map[string]bool{}
	for _, n := range c.gossip.Members() {
		alive[n.ID] = n.Role == wire.RoleAgent
	}
	return alive
}

// machinesOf are agents as the farm sees them now, without what they show themselves with.
func (c *Coordinator) machinesOf(ctx context.Context, p farm.Principal, agents []farm.Agent) ([]farm.Machine, error) {
	asked := machinesAsked{Team: p.Team, IDs: make([]string, len(agents))}
	for i, a := range agents {
		asked.IDs[i] = a.ID
	}
	known, err := peers.AskLeader(ctx, c.peers, askMachines, asked)
	if err != nil {
		return nil, err
	}
	alive := c.aliveByGossip()
	list := make([]farm.Machine, len(agents))
	for i, a := range agents {
		a.SecretHash, a.Keys = "", nil
		if a.SetAside != nil && !a.SetAside.Until.IsZero() && !c.cfg.Now().Before(a.SetAside.Until) {
			a.SetAside = nil
		}
		now := known[a.ID]
		list[i] = farm.Machine{Agent: a, Gossip: alive[a.ID], Online: now.Online, LastSeen: now.LastSeen, Address: now.Address, Running: now.Running}
		list[i].Availability = now.Availability
	}
	return list, nil
}

// machinesNow tells what the leader knows of machines, as far as it is a team's business.
func (l *leader) machinesNow(_ context.Context, asked machinesAsked) (map[string]machineNow, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := make(map[string]machineNow, len(asked.IDs))
	for _, id := range asked.IDs {
		m := machineNow{LastSeen: l.lastSeen[id]}
		if s := l.sessions[id]; s != nil {
			m.Online, m.LastSeen, m.Address, m.Own, m.Availability = true, s.seen, s.address, s.own, s.availability
		}
		for _, h := range l.byAgent[id] {
			if h.team == asked.Team {
				m.Running = append(m.Running, h.news().running())
			} else {
				m.Running = append(m.Running, farm.RunningTask{Frame: -1, Phase: h.phase, Since: h.since})
			}
		}
		slices.SortFunc(m.Running, func(a, b farm.RunningTask) int { return cmp.Compare(a.Task, b.Task) })
		known[id] = m
	}
	return known, nil
}
