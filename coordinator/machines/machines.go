// Package machines is the farm's workstations as people see and configure them: what each is doing, what people want of it, and what the
// machines of the farm have installed. How they get their work is package dispatch, how they are let in package enrolment.
package machines

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"overcrank/coordinator/cluster"
	"overcrank/coordinator/dispatch"
	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// Roster is the farm's machines. Its methods may be called at the same time.
type Roster struct {
	state      *state.State
	dispatcher *dispatch.Dispatcher
	gossip     *cluster.Gossip
	installed  *Installed
	files      files.Store
	events     Events
	log        *slog.Logger
}

// Events tells everybody who watches, on all nodes, of an event.
type Events interface{ Spread(e farm.Event) }

// New is the machines of a farm. installed is told of each change of a machine.
func New(s *state.State, d *dispatch.Dispatcher, g *cluster.Gossip, installed *Installed, store files.Store, events Events, log *slog.Logger) *Roster {
	return &Roster{state: s, dispatcher: d, gossip: g, installed: installed, files: store, events: events, log: log}
}

// Machines lists the farm's workstations by name. Of another team's work it tells only that there is some.
func (r *Roster) Machines(ctx context.Context, p farm.Principal) ([]farm.Machine, error) {
	var agents []farm.Agent
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
		agents, err = tx.Agents()
		return err
	})
	if err != nil {
		return nil, err
	}
	list, err := r.machinesOf(ctx, p, agents)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b farm.Machine) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}

// aliveByGossip are the machines that gossip has alive.
func (r *Roster) aliveByGossip() map[string]bool {
	alive := map[string]bool{}
	for _, n := range r.gossip.Members() {
		alive[n.ID] = n.Role == wire.RoleAgent
	}
	return alive
}

// machinesOf are agents as the farm sees them now, without what they show themselves with.
func (r *Roster) machinesOf(ctx context.Context, p farm.Principal, agents []farm.Agent) ([]farm.Machine, error) {
	ids := make([]string, len(agents))
	for i, a := range agents {
		ids[i] = a.ID
	}
	known, err := r.dispatcher.MachinesNow(ctx, p.Team, ids)
	if err != nil {
		return nil, err
	}
	alive := r.aliveByGossip()
	list := make([]farm.Machine, len(agents))
	for i, a := range agents {
		a.SecretHash, a.Keys = "", nil
		if a.SetAside != nil && !a.SetAside.Until.IsZero() && !r.state.Now().Before(a.SetAside.Until) {
			a.SetAside = nil
		}
		now := known[a.ID]
		list[i] = farm.Machine{Agent: a, Gossip: alive[a.ID], Online: now.Online, LastSeen: now.LastSeen, Address: now.Address, Running: now.Running}
		list[i].Availability, list[i].Load, list[i].Rules = now.Availability, now.Load, now.Rules
	}
	return list, nil
}
