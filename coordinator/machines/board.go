package machines

import (
	"context"

	"overcrank/farm"
	"overcrank/raftstore"
)

// Board lists all machines of the farm as one page shows them beside each other: without fonts, effects, plug-ins and folders, which are
// read only when a machine's record has changed. Of another team's work it tells only that there is some.
func (r *Roster) Board(ctx context.Context, p farm.Principal) ([]farm.Machine, error) {
	if err := p.May(farm.ActView); err != nil {
		return nil, err
	}
	agents, err := r.installed.agents(r.state.View)
	if err != nil {
		return nil, err
	}
	return r.machinesOf(ctx, p, agents)
}

// agents are the records of all machines, without what is long in them.
func (i *Installed) agents(view func(func(*raftstore.Tx) error) error) ([]farm.Agent, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := view(i.renewLocked); err != nil {
		return nil, err
	}
	list := make([]farm.Agent, 0, len(i.machines))
	for _, m := range i.machines {
		list = append(list, m.agent)
	}
	return list, nil
}

// brief is a machine's record without what is long in it.
func brief(a farm.Agent) farm.Agent {
	a.Inventory.Fonts, a.Inventory.Effects, a.Inventory.Plugins, a.Inventory.Roots = nil, nil, nil, nil
	a.SecretHash, a.Keys = "", nil
	return a
}
