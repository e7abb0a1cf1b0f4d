package tables

import (
	"slices"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// presentStage is the lowest stage of a job's tasks that is not done; open is false when all are.
func presentStage(tasks []farm.Task) (stage int, open bool) {
	for _, task := range tasks {
		if task.Status != farm.TaskDone && (!open || task.Stage < stage) {
			stage, open = task.Stage, true
		}
	}
	return stage, open
}

// mayBegin is false while a task waits for somebody's approval. The sample that is to be approved may be rendered before.
func mayBegin(job *farm.Job, task *farm.Task) bool {
	return task.Kind == farm.TaskSample || !job.Approve || !job.ApprovedAt.IsZero()
}

// readyStage makes the blocked tasks of a job's present stage ready, except those that wait for approval.
func (t *tables) readyStage(job farm.Job, result *command.Result) {
	tasks := t.tasksOf(job.ID)
	stage, _ := presentStage(tasks)
	for _, task := range tasks {
		if task.Status == farm.TaskBlocked && task.Stage == stage && mayBegin(&job, &task) {
			t.moveTask(&task, farm.TaskReady)
			result.AddTask(task)
			result.AddJob(job)
		}
	}
}

// nextStage saves a job of which a task has just been done, and lets begin what waited for that; false when nothing is left
// to do. A job that only waits for approval is queued: it is not rendering, and can be cancelled without force.
func (t *tables) nextStage(job *farm.Job, result *command.Result) bool {
	tasks := t.tasksOf(job.ID)
	stage, open := presentStage(tasks)
	if !open {
		return false
	}
	waits := !anyLeased(tasks) && !slices.ContainsFunc(tasks, func(task farm.Task) bool {
		return task.Status != farm.TaskDone && task.Stage == stage && mayBegin(job, &task)
	})
	if waits && job.Status == farm.JobRendering {
		t.moveJob(job, farm.JobQueued)
		t.tellOfWait(*job)
	} else {
		t.saveOrRest(job)
	}
	result.AddJob(*job)
	t.readyStage(*job, result)
	return true
}

// begun says whether anything of a job's result has been made, or is being made by a task other than the given one.
func begun(tasks []farm.Task, but string) bool {
	return slices.ContainsFunc(tasks, func(task farm.Task) bool {
		return task.ID != but && task.Status == farm.TaskLeased || len(task.Parts) > 0
	})
}

func (t *tables) decideJob(c command.DecideJob) command.Result {
	job, ok := t.job(c.ID)
	switch {
	case !ok || job.Team != c.Team:
		return refuse(noJob(c.ID))
	case job.Status.Ended():
		return refusef(farm.CodeConflict, "job %s has ended (%s): there is nothing to approve any more", job.ID, job.Status)
	case !job.Approve:
		return refusef(farm.CodeConflict, "job %s does not wait for approval", job.ID)
	case !job.ApprovedAt.IsZero() && c.Reject:
		return refusef(farm.CodeConflict, "job %s was approved by %s; cancel it instead", job.ID, job.ApprovedBy)
	case !job.ApprovedAt.IsZero():
		return command.Result{Jobs: []farm.Job{job}}
	}
	var result command.Result
	if c.Reject {
		t.failJob(job, failing{message: c.Reason, at: c.At}, &result)
		return result
	}
	job.ApprovedAt, job.ApprovedBy, job.UpdatedAt = c.At, c.By, c.At
	t.saveJob(job, job.Status)
	result.AddJob(job)
	if t.templateUsable(job) {
		t.readyTasks(job, &result)
	}
	return result
}
