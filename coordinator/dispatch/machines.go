package dispatch

import (
	"cmp"
	"context"
	"slices"

	"overcrank/coordinator/peers"
	"overcrank/farm"
)

// MachinesNow is what the farm's leader knows of machines, by id. Of another team's work it tells only that there is some.
func (d *Dispatcher) MachinesNow(ctx context.Context, team string, ids []string) (map[string]MachineNow, error) {
	return peers.AskLeader(ctx, d.peers, askMachines, machinesAsked{Team: team, IDs: ids})
}

// machinesNow tells what the leader knows of machines, as far as it is a team's business.
func (l *leader) machinesNow(_ context.Context, asked machinesAsked) (map[string]MachineNow, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := make(map[string]MachineNow, len(asked.IDs))
	for _, id := range asked.IDs {
		m := MachineNow{LastSeen: l.lastSeen[id]}
		if s := l.sessions[id]; s != nil {
			m.Online, m.LastSeen, m.Address, m.Own, m.Availability = true, s.seen, s.address, s.own, l.present(s)
			m.Load, m.Rules = s.load, s.rules
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

// Summary counts machines and tasks, with queue not before a new leader has read its queue.
func (d *Dispatcher) Summary(ctx context.Context, queue bool) (Summary, error) {
	return peers.AskLeader(ctx, d.peers, askSummary, summaryAsked{Queue: queue})
}

// Dismiss ends the session of an agent that is none any more, wherever it is, and gives its tasks to others.
func (d *Dispatcher) Dismiss(ctx context.Context, agent string) error {
	_, err := peers.AskLeader(ctx, d.peers, askDismiss, agent)
	return err
}

// summary counts machines and tasks.
func (l *leader) summary(ctx context.Context, asked summaryAsked) (Summary, error) {
	if asked.Queue {
		if err := l.queueRead(ctx); err != nil {
			return Summary{}, err
		}
	}
	read := l.hasRead()
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Summary{Leased: len(l.leases), Ready: l.queue.Len(), Read: read, Owed: l.outbox.Len(), Machines: map[farm.MachineState]int{}}
	for id, session := range l.sessions {
		s.Slots += min(session.slots, l.policy.MostSlots())
		m := farm.Machine{Online: true, Availability: session.availability, Running: make([]farm.RunningTask, len(l.byAgent[id]))}
		l.standings[id].describe(&m, l.d.state.Now())
		s.Machines[m.State()]++
	}
	return s, nil
}
