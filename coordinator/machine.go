package coordinator

import (
	"cmp"
	"context"
	"slices"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// Machines lists the farm's workstations by name. Of another team's work it tells only that there is some.
func (c *Coordinator) Machines(ctx context.Context, p farm.Principal) ([]farm.Machine, error) {
	var agents []farm.Agent
	err := c.state.View(func(tx *raftstore.Tx) (err error) {
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
	ids := make([]string, len(agents))
	for i, a := range agents {
		ids[i] = a.ID
	}
	known, err := c.MachinesNow(ctx, p.Team, ids)
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
