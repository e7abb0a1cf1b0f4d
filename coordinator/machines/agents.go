package machines

import (
	"cmp"
	"context"
	"slices"

	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// pageOfAgents is how many machines are read at once; an inventory may be large.
const pageOfAgents = 50

// Agents lists machines by the time of their enrolment. next is the cursor of the page that follows, "" after the last. Of another
// team's work it tells only that there is some.
func (r *Roster) Agents(ctx context.Context, p farm.Principal, q farm.AgentQuery) (list []farm.Machine, next string, err error) {
	limit, after := cmp.Or(q.Limit, 100), q.Cursor
	for {
		page, err := r.agentsAfter(after, pageOfAgents)
		if err != nil || len(page) == 0 {
			return list, "", err
		}
		machines, err := r.machinesOf(ctx, p, page)
		if err != nil {
			return nil, "", err
		}
		for _, m := range machines {
			if len(list) == limit {
				return list, after, nil
			}
			after = m.ID
			if selects(q, m) {
				list = append(list, m)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, "", err
		}
	}
}

// selects says whether a query asks for a machine.
func selects(q farm.AgentQuery, m farm.Machine) bool {
	return (len(q.States) == 0 || slices.Contains(q.States, m.State())) && (q.Tag == "" || slices.Contains(m.AllTags(), q.Tag)) &&
		(q.JoinToken == "" || q.JoinToken == m.JoinToken)
}

func (r *Roster) agentsAfter(after string, limit int) (page []farm.Agent, err error) {
	err = r.state.View(func(tx *raftstore.Tx) (err error) {
		page, err = tx.AgentsAfter(after, limit)
		return err
	})
	return page, err
}

// Agent finds a machine.
func (r *Roster) Agent(ctx context.Context, p farm.Principal, id string) (farm.Machine, error) {
	var a farm.Agent
	err := r.state.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.Agent(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return farm.Machine{}, noMachine(id)
	}
	if err != nil {
		return farm.Machine{}, err
	}
	machines, err := r.machinesOf(ctx, p, []farm.Agent{a})
	if err != nil {
		return farm.Machine{}, err
	}
	return machines[0], nil
}

func noMachine(id string) error {
	return farm.Errorf(farm.CodeNotFound, "there is no machine %q", id)
}

// ConfigureAgent changes what people want of a machine; CodeForbidden when the caller does not operate the farm.
func (r *Roster) ConfigureAgent(ctx context.Context, p farm.Principal, id string, change farm.AgentChange) (farm.Machine, error) {
	if err := p.May(farm.ActRunMachines); err != nil {
		return farm.Machine{}, err
	}
	if _, err := r.Agent(ctx, p, id); err != nil {
		return farm.Machine{}, err
	}
	if name := change.Name; name != nil && *name != "" && !names.IsTitle(*name) {
		return farm.Machine{}, farm.Invalid("a machine cannot be called that", farm.Field("name", names.TitleWords))
	}
	if change.Tags != nil {
		tags := slices.AppendSeq([]string{}, slices.Values(*change.Tags)) // none are none, not what is left as it is
		slices.Sort(tags)
		tags = slices.Compact(tags)
		change.Tags = &tags
	}
	if change.Hours != nil {
		hours := slices.AppendSeq([]farm.Hours{}, slices.Values(*change.Hours))
		if wrong := farm.CheckHours(hours); !wrong.IsZero() {
			return farm.Machine{}, farm.Invalid("the machine cannot have these hours", farm.Field("hours", "%s", wrong))
		}
		change.Hours = &hours
	}
	cmd := command.ConfigureAgent{
		ID: id, Hours: change.Hours, Name: change.Name, Drained: change.Drained, Paused: change.Paused, Tags: change.Tags, Restore: change.Restore,
	}
	if change.Name != nil && *change.Name == "" {
		known, err := r.dispatcher.MachinesNow(ctx, p.Team, []string{id})
		if err != nil {
			return farm.Machine{}, err
		}
		cmd.Own = known[id].Own
	}
	if _, err := r.state.Apply(ctx, cmd); err != nil {
		return farm.Machine{}, err
	}
	m, err := r.Agent(ctx, p, id)
	r.log.Info("a machine was configured", "agent", id, "name", m.Name, "state", m.State(), "by", p.Name)
	return m, err
}

// RetireAgent takes a machine out of the farm: its session ends, its certificate opens nothing from now on, and the tasks that it
// has go to other machines. CodeNotFound when there is none, CodeForbidden when the caller does not look after the farm.
func (r *Roster) RetireAgent(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActInviteMachines); err != nil {
		return err
	}
	m, err := r.Agent(ctx, p, id)
	if err != nil {
		return err
	}
	return r.retire(ctx, id, m.Name, p.Name)
}

// Leave is RetireAgent at the request of the machine itself.
func (r *Roster) Leave(ctx context.Context, a farm.Agent) error {
	return r.retire(ctx, a.ID, a.Name, "the machine itself")
}

func (r *Roster) retire(ctx context.Context, id, name, by string) error {
	if _, err := r.state.Apply(ctx, command.RemoveAgent{ID: id}); err != nil {
		return err
	}
	if err := r.dispatcher.Dismiss(context.WithoutCancel(ctx), id); err != nil {
		r.log.Warn("a machine that was retired is told so with its next heartbeat only", "agent", id, "error", err)
	}
	if err := r.files.Delete(context.WithoutCancel(ctx), frameKey(id)); err != nil {
		r.log.Warn("the picture of a machine that was retired stays", "agent", id, "error", err)
	}
	r.log.Info("a machine was retired", "agent", id, "name", name, "by", by)
	return nil
}
