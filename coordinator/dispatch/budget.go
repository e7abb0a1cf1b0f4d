package dispatch

import (
	"fmt"
	"time"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
)

// readHeld reads which projects and teams have used up a budget that holds their work.
func (l *leader) readHeld() error {
	now, held := l.d.state.Now(), map[schedule.Held]farm.Text{}
	var index uint64
	err := l.d.state.View(func(tx *raftstore.Tx) error {
		index = tx.Index()
		budgets, err := tx.HeldBudgets(now)
		for _, of := range budgets {
			key := schedule.Held{Team: of.Team}
			if of.Project != nil {
				key.Project = of.Project.ID
			}
			held[key] = wording.Held(of)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading which budgets are used up: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if index >= l.heldIndex {
		l.heldIndex, l.heldMonth = index, farm.Month(now)
		l.queue.SetHeld(held)
		l.wake()
	}
	return nil
}

// turnMonth lets the work go that waited for the next month, once it has begun.
func (l *leader) turnMonth(now time.Time) error {
	l.mu.Lock()
	turned := !l.heldMonth.Equal(farm.Month(now))
	l.mu.Unlock()
	if !turned {
		return nil
	}
	return l.readHeld()
}
