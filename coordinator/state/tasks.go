package state

import (
	"context"
	"sync"

	"overcrank/farm"
	"overcrank/raftstore"
)

// pageOfTasks is how many tasks are read at once: there may be very many, and readers should be brief.
const pageOfTasks = 500

// EachTask hands all tasks in one state on, page by page, until ctx ends: there may be a million. While one is visited the next is read.
func (s *State) EachTask(ctx context.Context, status farm.TaskStatus, visit func(page []farm.Task) error) error {
	type read struct {
		page []farm.Task
		err  error
	}
	pages, enough := make(chan read), make(chan struct{})
	var reader sync.WaitGroup
	defer reader.Wait()
	defer close(enough)
	reader.Go(func() {
		defer close(pages)
		for after := ""; ; {
			var next read
			next.err = s.View(func(tx *raftstore.Tx) (err error) {
				next.page, err = tx.TasksIn(status, after, pageOfTasks)
				return err
			})
			if next.err == nil && len(next.page) == 0 {
				return
			}
			if next.err == nil {
				next.err = ctx.Err()
			}
			select {
			case pages <- next:
			case <-enough:
				return
			}
			if next.err != nil {
				return
			}
			after = next.page[len(next.page)-1].ID
		}
	})
	for next := range pages {
		if next.err != nil {
			return next.err
		}
		if err := visit(next.page); err != nil {
			return err
		}
	}
	return nil
}
