package coordinator

import (
	"context"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// followState takes up what happens, on every node, until ctx ends.
func (c *Coordinator) followState(ctx context.Context) {
	c.feed.Run(ctx, func(results []command.Result) {
		if l := c.leading(); l != nil { // which does not change meanwhile
			l.told(results)
		}
		for i := range results {
			c.happened(&results[i])
			if results[i].Replaced {
				c.stateReplaced()
			}
		}
	})
}

// told takes what commands came to into the leader's memory, in their order. What several submissions one after the other bring
// is queued at once.
func (l *leader) told(results []command.Result) {
	jobs, tasks := map[string]*farm.Job{}, make([]farm.Task, 0, len(results))
	queue := func() {
		if len(tasks) > 0 {
			l.observe(jobs, tasks)
		}
		clear(jobs)
		tasks = tasks[:0]
	}
	for i := range results {
		res := &results[i]
		if res.Refused != nil || res.Repeated != nil {
			continue
		}
		if onlyQueues(res) {
			tasks = append(tasks, res.Tasks...)
			noteJobs(jobs, res.Jobs)
			continue
		}
		queue()
		l.noteAgents(res.Index, res.Agents)
		if res.Policy != nil {
			l.notePolicy(res.Index, *res.Policy)
		}
		if res.SecretTags {
			if err := l.loadSecretTags(); err != nil {
				l.c.log.Error("following a change of secrets", "error", err)
				l.markStale()
			}
		}
		noteJobs(jobs, res.Jobs)
		l.observe(jobs, res.Tasks)
		clear(jobs)
		l.deliverAgain(res.Owed)
		for _, job := range res.Jobs {
			if job.Status.Ended() && job.Private && job.ErasedAt.IsZero() {
				l.c.retention.Wake()
			}
			if job.Status == farm.JobFailed {
				l.c.logs.Note(job.ID, "the job failed: "+job.Error)
			}
		}
	}
	queue()
}

// noteJobs adds jobs to those that are known, by their ids.
func noteJobs(known map[string]*farm.Job, jobs []farm.Job) {
	for i := range jobs {
		known[jobs[i].ID] = &jobs[i]
	}
}

// onlyQueues says whether all that a command did was to make tasks of queued jobs ready, as a submission does.
func onlyQueues(res *command.Result) bool {
	return len(res.Agents) == 0 && res.Policy == nil && !res.SecretTags && len(res.Owed) == 0 &&
		!anyOf(res.Jobs, func(job *farm.Job) bool { return job.Status != farm.JobQueued }) &&
		!anyOf(res.Tasks, func(t *farm.Task) bool { return t.Status != farm.TaskReady })
}

// anyOf is slices.ContainsFunc for values that are large to copy.
func anyOf[T any](list []T, is func(*T) bool) bool {
	for i := range list {
		if is(&list[i]) {
			return true
		}
	}
	return false
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
		c.hub.Moved(job)
	}
	c.hub.MovedTasks(res.Tasks)
	for _, a := range res.Agents {
		c.installed.changed(a.ID)
		c.hub.Publish(farm.Event{Kind: farm.EventMachine, ID: a.ID})
	}
	if res.Policy != nil {
		c.hub.Publish(farm.Event{Kind: farm.EventFarm})
	}
	for _, changed := range res.Changed {
		switch changed.Kind {
		case farm.EventTemplate:
			c.templates.Wake()
		case farm.EventMachine: // the machine's session tells those who watch
			c.installed.changed(changed.ID)
			continue
		}
		c.hub.Publish(farm.Event{Kind: changed.Kind, Team: changed.Team, ID: changed.ID})
	}
}
