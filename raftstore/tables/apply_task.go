package tables

import (
	"fmt"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// leaseTasks grants each lease that still can be granted.
func (t *tables) leaseTasks(c command.LeaseTasks) command.Result {
	result := command.Result{Named: true, Jobs: make([]farm.Job, 0, len(c.Grants)), Tasks: make([]farm.Task, 0, len(c.Grants))}
	result.Each = t.each(len(c.Grants), func(i int) *farm.Error { return t.lease(c.Grants[i], c, &result) })
	return result
}

func (t *tables) lease(grant command.Grant, c command.LeaseTasks, result *command.Result) *farm.Error {
	at := c.At
	task, ok := t.task(grant.Task)
	if !ok {
		return noTask(grant.Task)
	}
	next := t.nextAttempt(task)
	job, ok := t.job(task.Job)
	switch {
	case !ok:
		return noJob(task.Job)
	case !t.has(bucketAgents, grant.Agent):
		return noMachine(grant.Agent)
	case task.Status != farm.TaskReady:
		return farm.Errorf(farm.CodeConflict, "task %s is %s and cannot be leased", task.ID, task.Status)
	case grant.Attempt != next:
		return farm.Errorf(farm.CodeConflict, "the next attempt of task %s is %d, not %d", task.ID, next, grant.Attempt)
	case slices.Contains(task.Barred, grant.Agent):
		return farm.Errorf(farm.CodeConflict, "machine %s may not have task %s again", grant.Agent, task.ID)
	case !c.Rested && at.Before(task.NotBefore):
		return farm.Errorf(farm.CodeConflict, "task %s rests until %s", task.ID, task.NotBefore.UTC().Format(time.RFC3339))
	case job.Hold && t.since(command.HoldLevel):
		return farm.Errorf(farm.CodeConflict, "task %s waits: its job is held", task.ID)
	case t.heldBy(job, at) != nil:
		return farm.Errorf(farm.CodeConflict, "task %s waits: the machine hours that it may use are used up", task.ID)
	}
	task.Attempt, task.Agent, task.LeasedAt = grant.Attempt, grant.Agent, at
	t.moveTask(&task, farm.TaskLeased)
	t.workedOn(grant.Agent, &job)
	result.AddTask(task)
	if job.StartedAt.IsZero() {
		job.StartedAt = at
	}
	job.UpdatedAt = at
	if job.Status == farm.JobQueued {
		t.moveJob(&job, farm.JobRendering)
	} else {
		t.saveJob(job, job.Status)
	}
	result.AddJob(job)
	return nil
}

// leased reads a task with its job for a message about one attempt of it. A message about an earlier attempt, or about a
// task that has gone on without it, is refused.
func (t *tables) leased(id string, attempt int) (farm.Task, farm.Job, *farm.Error) {
	task, ok := t.task(id)
	if !ok {
		return task, farm.Job{}, noTask(id)
	}
	job, ok := t.job(task.Job)
	switch {
	case !ok:
		return task, job, noJob(task.Job)
	case task.Status == farm.TaskCancelled:
		return task, job, farm.Errorf(farm.CodeConflict, "task %s was cancelled", id)
	case task.Attempt != attempt:
		return task, job, farm.Errorf(farm.CodeConflict, "attempt %d of task %s is over; attempt %d is the latest", attempt, id, task.Attempt)
	case task.Status != farm.TaskLeased:
		return task, job, farm.Errorf(farm.CodeConflict, "attempt %d of task %s is over: the task is %s", attempt, id, task.Status)
	}
	return task, job, nil
}

// finishTask accepts the same report again, as it comes when an answer was lost. The result of a job is that of the task
// that ends it; that of another is kept with its task.
func (t *tables) finishTask(c command.FinishTask) command.Result {
	task, job, err := t.leased(c.Task, c.Attempt)
	if err != nil {
		if task.Status == farm.TaskDone && task.Attempt == c.Attempt {
			return command.Result{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}
		}
		return refuse(err)
	}
	result := command.Result{Named: true}
	t.attemptEnded(task, job, ending{outcome: farm.OutcomeDone, measured: c.Measured, at: c.At}, &result)
	task.Error, task.Licences = "", 0
	if task.Part && task.Frames != nil && c.Output.SHA256 != "" {
		task.Parts = append(task.Parts, farm.TaskPart{Frames: *task.Frames, Attempt: task.Attempt, Output: c.Output})
	}
	t.moveTask(&task, farm.TaskDone)
	result.AddTask(task)
	job.Warnings = addWarnings(job.Warnings, c.Warnings)
	job.UpdatedAt = c.At
	if t.nextStage(&job, &result) {
		return result
	}
	output := c.Output
	job.Output, job.FinishedAt, job.Progress = &output, c.At, 100
	t.moveJob(&job, farm.JobFinished)
	result.AddJob(job)
	t.releaseParent(job, c.At, &result)
	return result
}

// releaseParent queues the parent of a finished job once all its children have finished.
func (t *tables) releaseParent(job farm.Job, at time.Time, result *command.Result) {
	parent, ok := t.job(job.Parent)
	if !ok || parent.Status != farm.JobPending {
		return
	}
	for _, id := range parent.Children {
		if child, ok := t.job(id); !ok || child.Status != farm.JobFinished {
			return
		}
	}
	parent.UpdatedAt = at
	t.moveJob(&parent, farm.JobQueued)
	result.AddJob(parent)
	if t.templateUsable(parent) {
		t.readyTasks(parent, result)
	}
}

// expireLeases counts a lost machine as a failed attempt, so that a task that crashes its machines ends at some time. The machine is not avoided
// afterwards: it may be the only one.
func (t *tables) expireLeases(c command.ExpireLeases) command.Result {
	result := command.Result{Named: true}
	result.Each = t.each(len(c.Leases), func(i int) *farm.Error {
		lease := c.Leases[i]
		task, job, err := t.leased(lease.Task, lease.Attempt)
		if err == nil && task.Agent != lease.Agent {
			err = farm.Errorf(farm.CodeConflict, "task %s is leased to another machine", lease.Task)
		}
		switch {
		case err != nil:
			return err
		case c.Returned:
			t.attemptEnded(task, job, ending{outcome: farm.OutcomeReturned, at: c.At}, &result)
			t.readyAgain(task, job, c.At, &result)
		default:
			if c.Avoided && !slices.Contains(task.Avoid, task.Agent) {
				task.Avoid = append(task.Avoid, task.Agent)
			}
			t.failAttempt(task, job, ending{
				outcome: farm.OutcomeLost, class: farm.FailureTransient, at: c.At,
				message: fmt.Sprintf("The machine '%s' vanished while it rendered", t.machineName(task.Agent)),
			}, &result)
		}
		return nil
	})
	return result
}

// readyAgain makes a leased task ready for another lease, and queues its job again when no other task of it is leased or done, or when it is held. A nested job that was
// left to render when its parent ended is not begun a second time: nobody waits for it.
func (t *tables) readyAgain(task farm.Task, job farm.Job, at time.Time, result *command.Result) {
	if parent, ok := t.job(job.Parent); ok && parent.Status.Ended() {
		t.cancelJob(job, at, result)
		return
	}
	t.moveTask(&task, farm.TaskReady)
	result.AddTask(task)
	job.UpdatedAt = at
	if begun(t.tasksOf(job.ID), task.ID) {
		t.saveOrRest(&job)
	} else {
		t.moveJob(&job, farm.JobQueued)
	}
	result.AddJob(job)
}

// maxWarnings is how many warnings a job keeps.
const maxWarnings = 200

// addWarnings adds those of more that are not there yet.
func addWarnings(have, more []string) []string {
	for _, warning := range more {
		if len(have) < maxWarnings && !slices.Contains(have, warning) {
			have = append(have, warning)
		}
	}
	return have
}

func noTask(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "task %q does not exist", id)
}
