package dispatch

import (
	"context"
	"slices"

	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// mostRecent is how many attempts that have ended are remembered of each machine.
const mostRecent = 20

// RecentAttempt is an attempt that has ended, with the job that it was for.
type RecentAttempt struct {
	farm.AttemptRecord
	Job  string
	Kind farm.TaskKind
}

// noteRecentLocked remembers that an attempt has ended on a machine.
func (l *leader) noteRecentLocked(h *lease) {
	list := append(l.recent[h.agent], h.Attempt)
	if len(list) > mostRecent {
		list = slices.Delete(list, 0, len(list)-mostRecent)
	}
	l.recent[h.agent] = list
}

// recentOf gives the attempts that have ended on a machine, the last behind.
func (l *leader) recentOf(_ context.Context, agent string) ([]wire.Attempt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.recent[agent]), nil
}

// DayOf is what a machine did in the last 24 hours, as far as the farm's leader knows.
func (d *Dispatcher) DayOf(ctx context.Context, agent string) (farm.MachineDay, error) {
	return peers.AskLeader(ctx, d.peers, askDay, agent)
}

// RecentAttempts lists the latest attempts that have ended on a machine, the last first: those for the caller's team, since the
// farm's leader leads.
func (d *Dispatcher) RecentAttempts(ctx context.Context, p farm.Principal, agent string) ([]RecentAttempt, error) {
	ended, err := peers.AskLeader(ctx, d.peers, askRecent, agent)
	if err != nil {
		return nil, err
	}
	var list []RecentAttempt
	err = d.state.View(func(tx *raftstore.Tx) error {
		for _, at := range slices.Backward(ended) {
			recent, known, err := recentAttempt(tx, p, at)
			if err != nil {
				return err
			}
			if known {
				list = append(list, recent)
			}
		}
		return nil
	})
	return list, err
}

// recentAttempt reads what is known of an attempt; known is false for one that is another team's, or forgotten.
func recentAttempt(tx *raftstore.Tx, p farm.Principal, at wire.Attempt) (recent RecentAttempt, known bool, err error) {
	task, err := tx.Task(at.Task)
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && task.Team != p.Team {
		return recent, false, nil
	}
	if err != nil {
		return recent, false, err
	}
	attempts, err := tx.Attempts(at.Task)
	i := slices.IndexFunc(attempts, func(a farm.AttemptRecord) bool { return a.Number == at.Attempt })
	if err != nil || i < 0 {
		return recent, false, err
	}
	return RecentAttempt{AttemptRecord: attempts[i], Job: task.Job, Kind: task.Kind}, true, nil
}
