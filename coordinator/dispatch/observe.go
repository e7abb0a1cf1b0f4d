package dispatch

import (
	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Applied takes up what commands came to, in the order of the farm's log, while this node leads.
func (d *Dispatcher) Applied(results []command.Result) {
	if l := d.leading(); l != nil { // which does not change meanwhile: see takeOver
		l.applied(results)
	}
}

// applied takes what commands came to into the leader's memory, in their order. What several submissions one after the other bring
// is queued at once.
func (l *leader) applied(results []command.Result) {
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
			if err := l.readSecretTags(); err != nil {
				l.d.log.Error("following a change of secrets", "error", err)
				l.markStale()
			}
		}
		if res.Budgets {
			if err := l.readHeld(); err != nil {
				l.d.log.Error("following a change of budgets", "error", err)
				l.markStale()
			}
		}
		if res.Updates {
			if err := l.readUpdates(); err != nil {
				l.d.log.Error("following a change of releases", "error", err)
				l.markStale()
			}
		}
		noteJobs(jobs, res.Jobs)
		l.observe(jobs, res.Tasks)
		clear(jobs)
		l.deliverAgain(res.Owed)
		for _, queue := range res.Notices {
			l.d.notices.Owe(queue, l.told.Owe)
		}
		for _, job := range res.Jobs {
			if job.Status == farm.JobFailed {
				l.d.logs.Note(job.ID, "the job failed: "+job.Error)
			}
		}
	}
	queue()
}

// observe follows what a command did to tasks.
func (l *leader) observe(jobs map[string]*farm.Job, tasks []farm.Task) {
	for _, job := range jobs {
		if job.Status == farm.JobFinished || job.Status == farm.JobFailed {
			l.outbox.Add(*job, job.UpdatedAt, 0)
		}
	}
	var ready, foreign []farm.Task
	l.mu.Lock()
	for _, t := range tasks {
		switch t.Status {
		case farm.TaskLeased:
			if h := l.leases[t.ID]; l.granted[t.ID] != t.Attempt && (h == nil || h.Attempt.Attempt < t.Attempt) {
				l.holdLocked(t)
				foreign = append(foreign, t)
			}
		case farm.TaskReady:
			l.releaseLocked(t.ID, t.Attempt)
			if ready == nil {
				ready = make([]farm.Task, 0, len(tasks))
			}
			ready = append(ready, t)
		case farm.TaskCancelled:
			l.queue.Remove(t.ID)
			l.stopLocked(t)
		case farm.TaskBlocked:
			l.queue.Remove(t.ID)
			l.withdrawLocked(t)
		case farm.TaskDone, farm.TaskFailed:
			l.queue.Remove(t.ID)
			l.releaseLocked(t.ID, t.Attempt)
		}
	}
	l.mu.Unlock()
	l.occupy(foreign)
	l.readCourses(severalOf(tasks)...)
	if len(ready) > 0 {
		if err := l.enqueue(ready, jobs); err != nil {
			l.d.log.Error("queueing tasks", "error", err)
			l.markStale()
		}
	}
}

// occupy has the queue count leases that this leader has not granted: a command of the leader before was committed late.
func (l *leader) occupy(leased []farm.Task) {
	if len(leased) == 0 {
		return
	}
	queued, err := l.tasksOf(leased, nil)
	if err != nil {
		l.d.log.Error("reading tasks that another leader has leased", "error", err)
		l.markStale()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, t := range leased {
		if h := l.leases[t.ID]; h != nil && h.Attempt.Attempt == t.Attempt && queued[i].ID != "" {
			l.queue.Hold(queued[i], t.Agent, t.LeasedAt)
		}
	}
}

// noteJobs adds jobs to those that are known, by their ids.
func noteJobs(known map[string]*farm.Job, jobs []farm.Job) {
	for i := range jobs {
		known[jobs[i].ID] = &jobs[i]
	}
}

// onlyQueues says whether all that a command did was to make tasks of queued jobs ready, as a submission does.
func onlyQueues(res *command.Result) bool {
	return len(res.Agents) == 0 && res.Policy == nil && !res.SecretTags && !res.Updates && !res.Budgets && len(res.Owed) == 0 && len(res.Notices) == 0 &&
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

// deliverAgain takes up deliveries of jobs that were begun anew.
func (l *leader) deliverAgain(ids []string) {
	for _, id := range ids {
		var job farm.Job
		err := l.d.state.View(func(tx *raftstore.Tx) (err error) {
			job, err = tx.Job(id)
			return err
		})
		if err != nil {
			l.d.log.Error("reading a job whose webhook is to be called again", "job", id, "error", err)
			continue
		}
		l.outbox.Add(job, l.d.state.Now(), 0)
	}
}
