package coordinator

import (
	"context"

	"overcrank/coordinator/search"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// followState takes up what happens, on every node, until ctx ends.
func (c *Coordinator) followState(ctx context.Context) {
	c.feed.Run(ctx, func(results []command.Result) {
		c.Applied(results)
		for i := range results {
			c.happened(&results[i])
			if results[i].Replaced {
				c.stateReplaced()
			}
		}
	})
}

// happened counts what one command came to, and tells those who watch, on every node.
func (c *Coordinator) happened(res *command.Result) {
	c.metrics.applied(res)
	if res.Refused != nil || res.Repeated != nil {
		return
	}
	c.notePace(res.Tasks)
	for i := range res.Jobs {
		job := &res.Jobs[i]
		if !job.ErasedAt.IsZero() {
			c.private.Forget(job.ID)
		}
		if job.Status.Ended() && job.Private && job.ErasedAt.IsZero() {
			c.retention.Wake()
		}
		c.hub.Moved(job)
		if !res.Named {
			c.unindexed.Note(search.KindJob, job.ID)
		}
	}
	for _, id := range res.Trimmed {
		c.unindexed.Note(search.KindJob, id)
	}
	c.hub.MovedTasks(res.Tasks)
	for _, a := range res.Agents {
		c.installed.Changed(a.ID)
		c.unindexed.Note(search.KindMachine, a.ID)
		c.hub.Publish(farm.Event{Kind: farm.EventMachine, ID: a.ID})
	}
	if res.Policy != nil {
		c.hub.Publish(farm.Event{Kind: farm.EventFarm})
	}
	for _, changed := range res.Changed {
		switch changed.Kind {
		case farm.EventTemplate:
			c.templates.Wake()
			c.unindexed.Note(search.KindTemplate, changed.ID)
		case farm.EventBatch:
			c.unindexed.Note(search.KindBatch, changed.ID)
			continue
		case farm.EventAccess:
			c.unindexed.Note(search.KindPerson, changed.ID)
		case farm.EventMachine: // the machine's session tells those who watch
			c.unindexed.Note(search.KindMachine, changed.ID)
			c.installed.Changed(changed.ID)
			continue
		}
		c.hub.Publish(farm.Event{Kind: changed.Kind, Team: changed.Team, ID: changed.ID})
	}
}
