package dispatch

import (
	"context"
	"strconv"

	"overcrank/coordinator/peers"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/raftstore"
)

// maxQueuePage is how many tasks one page of the queue lists at most.
const maxQueuePage = 500

// Queue lists the tasks that wait for a machine, in the order in which they are likely to begin. next is the cursor of the page
// that follows, "" after the last; one can look schedule.MaxListed tasks far. Of another team's it tells where they stand.
func (d *Dispatcher) Queue(ctx context.Context, p farm.Principal, limit int, cursor string) (entries []farm.QueueEntry, next string, err error) {
	after := 0
	if cursor != "" {
		if after, err = strconv.Atoi(cursor); err != nil || after < 0 {
			return nil, "", farm.Errorf(farm.CodeInvalid, "%q is not a cursor of the queue", cursor)
		}
	}
	if limit < 1 || limit > maxQueuePage {
		limit = maxQueuePage
	}
	told, err := peers.AskLeader(ctx, d.peers, askLine, lineAsked{Team: p.Team, After: after, Limit: limit})
	if told.More {
		next = strconv.Itoa(after + limit)
	}
	return told.Entries, next, err
}

// lineFrom is the part of the queue behind a place.
func (l *leader) lineFrom(ctx context.Context, asked lineAsked) (line, error) {
	if err := l.queueRead(ctx); err != nil {
		return line{}, err
	}
	l.mu.Lock()
	listed, more := l.queue.Line(l.d.state.Now(), asked.After, asked.Limit)
	l.mu.Unlock()
	part := line{Entries: make([]farm.QueueEntry, len(listed)), More: more}
	err := l.d.state.View(func(tx *raftstore.Tx) error {
		for i, at := range listed {
			part.Entries[i] = farm.QueueEntry{Place: at.Place, Level: at.Task.Level, Since: at.Since}
			if at.Task.Team != asked.Team {
				continue
			}
			if err := describeEntry(tx, &part.Entries[i], at.Task); err != nil {
				return err
			}
		}
		return nil
	})
	return part, err
}

// describeEntry adds to an entry what only the task's own team sees.
func describeEntry(tx *raftstore.Tx, e *farm.QueueEntry, t schedule.Task) error {
	e.Task, e.Job, e.Team, e.Priority = t.ID, t.Job, t.Team, t.Priority
	job, err := tx.JobHead(t.Job)
	if err == nil {
		e.JobName, e.Template, e.Composition = job.Name, job.Template.ID, job.Template.Composition
		var task farm.Task
		task, err = tx.Task(t.ID)
		e.Kind = task.Kind
	}
	if farm.CodeOf(err) == farm.CodeNotFound { // it ended while the page was made
		return nil
	}
	return err
}
