package dispatch

import (
	"context"
	"errors"
	"time"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
)

// begin waits until this node has all that was committed before its term. own is ctx for what the leader decides by itself: it is
// committed in this term or not at all, and waited for no longer than the term lasts. led is false when ctx ended before.
func (l *leader) begin(ctx context.Context) (own context.Context, led bool) {
	for {
		err := l.d.raft.Barrier(ctx)
		if err == nil {
			own, err = l.d.raft.InThisTerm(ctx)
		}
		if err == nil {
			return state.WithinTerm(own), true
		}
		if interval.Wait(ctx, retryPause) != nil {
			return nil, false
		}
		l.d.log.Warn("waiting to take over the farm's work", "error", err)
	}
}

// takeOver reads what the leader before had, until that succeeds; false when ctx ended before. What happens meanwhile is handed on once
// this node is known to lead: none of it may be missed, and none be half noted.
func (l *leader) takeOver(ctx context.Context) bool {
	l.began, l.daysSince = time.Now(), l.d.state.Now()
	return l.untilRead(ctx, func(ctx context.Context) error {
		return l.d.feed.Between(func() error {
			if err := l.readLeases(ctx); err != nil {
				return err
			}
			l.d.setLeader(l)
			return nil
		})
	})
}

// untilRead reads the state until that succeeds; false when ctx ended before, which ends a reading too.
func (l *leader) untilRead(ctx context.Context, read func(context.Context) error) bool {
	for {
		err := read(ctx)
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		l.d.log.Error("reading the farm's state to take over its work", "error", err)
		if interval.Wait(ctx, retryPause) != nil {
			return false
		}
	}
}

// readLeases reads what the state says of agents and leases.
func (l *leader) readLeases(ctx context.Context) error {
	if err := errors.Join(l.readStandings(), l.readSecretTags(), l.readHeld(), l.readUpdates(), l.readUsage(), l.readAttemptsFrom()); err != nil {
		return err
	}
	return l.d.state.EachTask(ctx, farm.TaskLeased, func(page []farm.Task) error {
		tasks, err := l.tasksOf(page, nil)
		if err != nil {
			return err
		}
		outer := make([][]string, len(page))
		for i, t := range page {
			if outer[i], err = l.d.outerJobs(t.Job); err != nil {
				return err
			}
		}
		defer l.readCourses(severalOf(page)...)
		l.mu.Lock()
		defer l.mu.Unlock()
		for i, t := range page {
			l.holdLocked(t).outer = outer[i]
			if tasks[i].ID != "" {
				l.queue.Hold(tasks[i], t.Agent, t.LeasedAt)
			}
		}
		return nil
	})
}

func (l *leader) readAttemptsFrom() error {
	return l.d.state.View(func(tx *raftstore.Tx) error {
		from, err := tx.AttemptsFrom()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.attemptsFrom = from
		return err
	})
}

// urgentTasks is how many tasks of all teams are read before the first of them is granted, and urgentLeast of each team at least. It takes
// some tens of milliseconds, and holds what hundreds of machines take in the next seconds.
const (
	urgentTasks = 4000
	urgentLeast = 200
)

// readUrgent queues what comes first of each team, as far as the state lists jobs by urgency: by priority, then by age. What renders
// already goes before that. A task that only readReady finds to be more urgent, such as one of a rush far down the list, is granted then.
func (l *leader) readUrgent(ctx context.Context) error {
	var teams []farm.Team
	err := l.d.state.View(func(tx *raftstore.Tx) (err error) {
		teams, err = tx.Teams()
		return err
	})
	if err != nil {
		return err
	}
	for _, team := range teams {
		if err := ctx.Err(); err != nil {
			return err
		}
		var tasks []farm.Task
		err := l.d.state.View(func(tx *raftstore.Tx) (err error) {
			tasks, err = tx.UrgentTasks(team.ID, max(urgentTasks/len(teams), urgentLeast))
			return err
		})
		if err == nil && len(tasks) > 0 {
			err = l.enqueue(tasks, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readReady reads what people want, and queues the tasks that the state has ready, and the webhooks and notices that it owes. Those that are
// queued already stay so, tasks with their needs as they are now.
func (l *leader) readReady(ctx context.Context) error {
	if err := errors.Join(l.readStandings(), l.readSecretTags(), l.readHeld(), l.readUpdates()); err != nil {
		return err
	}
	err := l.d.state.EachTask(ctx, farm.TaskReady, func(page []farm.Task) error { return l.enqueue(page, nil) })
	if err != nil {
		return err
	}
	return errors.Join(l.d.webhooks.Owed(l.outbox.Add), l.d.notices.Owed(l.told.Owe))
}

// markStale notes that a command failed and may have been committed all the same.
func (l *leader) markStale() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stale = time.Now()
}

// refresh reads the state again a moment after the last such command, when what was on its way has arrived.
func (l *leader) refresh(ctx context.Context) {
	l.mu.Lock()
	due := !l.stale.IsZero() && time.Since(l.stale) > 2*retryPause
	if due {
		l.stale = time.Time{}
	}
	l.mu.Unlock()
	if !due {
		return
	}
	if err := l.readReady(ctx); err != nil && ctx.Err() == nil {
		l.d.log.Error("reading the farm's state again", "error", err)
		l.markStale()
	}
}
