package coordinator

import (
	"cmp"
	"context"
	"slices"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// maxName is how long a machine's name may be, in bytes.
const maxName = 200

// Machines lists the farm's workstations by name. Of another team's work it tells only that there is some.
func (c *Coordinator) Machines(_ context.Context, p farm.Principal) ([]farm.Machine, error) {
	var agents []farm.Agent
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		agents, err = tx.Agents()
		return err
	})
	if err != nil {
		return nil, err
	}
	alive := c.aliveByGossip()
	list := make([]farm.Machine, len(agents))
	for i, a := range agents {
		list[i] = c.machineOf(a, alive, p)
	}
	slices.SortFunc(list, func(a, b farm.Machine) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// aliveByGossip are the machines that gossip has alive.
func (c *Coordinator) aliveByGossip() map[string]bool {
	alive := map[string]bool{}
	if c.pool != nil {
		for _, n := range c.pool.Members() {
			alive[n.ID] = n.Role == wire.RoleAgent
		}
	}
	return alive
}

// machineOf is an agent as the farm sees it now, without what it shows itself with.
func (c *Coordinator) machineOf(a farm.Agent, alive map[string]bool, p farm.Principal) farm.Machine {
	a.SecretHash, a.Keys = "", nil
	m := farm.Machine{Agent: a, Gossip: alive[a.ID]}
	if a.SetAside != nil && !a.SetAside.Until.IsZero() && !c.cfg.Now().Before(a.SetAside.Until) {
		m.SetAside = nil
	}
	if l := c.leading(); l != nil {
		l.describe(&m, p.Team)
	}
	return m
}

// describe adds what the leader knows of a machine, as far as it is a team's business.
func (l *leader) describe(m *farm.Machine, team string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m.LastSeen = l.lastSeen[m.ID]
	if s := l.sessions[m.ID]; s != nil {
		m.Online, m.LastSeen, m.Address, m.Availability = true, s.seen, s.address, s.availability
	}
	for _, h := range l.leasesOfLocked(m.ID) {
		if h.team != team {
			m.Running = append(m.Running, farm.RunningTask{Frame: -1, Phase: h.phase, Since: h.since})
			continue
		}
		m.Running = append(m.Running, h.running())
	}
	slices.SortFunc(m.Running, func(a, b farm.RunningTask) int { return cmp.Compare(a.Task, b.Task) })
}
