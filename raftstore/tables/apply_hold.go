package tables

import (
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// releaseJobs answers with the jobs asked for, in their order, then those nested in them; and with the tasks that may begin.
func (t *tables) releaseJobs(c command.ReleaseJobs) command.Result {
	held, err := t.families(c.Team, c.IDs, func(job farm.Job) *farm.Error {
		if job.Status.Ended() {
			return farm.Errorf(farm.CodeConflict, "job %s has ended (%s) and cannot be released", job.ID, job.Status)
		}
		return nil
	})
	if err != nil {
		return refuse(err)
	}
	return t.setHold(held, false, c.At)
}

// holdJobs answers as releaseJobs does; with the tasks that may no longer begin. Those that machines have begun are finished.
func (t *tables) holdJobs(c command.HoldJobs) command.Result {
	kept, err := t.families(c.Team, c.IDs, func(job farm.Job) *farm.Error {
		if job.Status.Ended() {
			return farm.Errorf(farm.CodeConflict, "job %s has ended (%s) and cannot be held", job.ID, job.Status)
		}
		return nil
	})
	if err != nil {
		return refuse(err)
	}
	return t.setHold(kept, true, c.At)
}

// families are jobs of a team in the order of their ids, unless one of them is refused, then those nested in them that have not ended; each once.
func (t *tables) families(team string, ids []string, refused func(farm.Job) *farm.Error) (jobs []farm.Job, err *farm.Error) {
	if len(ids) == 0 {
		return nil, farm.Errorf(farm.CodeInvalid, "no job was named")
	}
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		job, ok := t.job(id)
		if !ok || job.Team != team {
			return nil, noJob(id)
		}
		if err := refused(job); err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			jobs = append(jobs, job)
		}
	}
	for i := 0; i < len(jobs); i++ {
		for _, id := range jobs[i].Children {
			if job, ok := t.job(id); ok && !seen[id] && !job.Status.Ended() {
				seen[id] = true
				jobs = append(jobs, job)
			}
		}
	}
	return jobs, nil
}

// setHold holds jobs or releases them, and answers with all of them, and with the ready tasks of those for which that is new.
func (t *tables) setHold(jobs []farm.Job, hold bool, at time.Time) (result command.Result) {
	for _, job := range jobs {
		if job.Hold != hold {
			job.Hold, job.UpdatedAt = hold, at
			t.saveOrRest(&job)
			ready := slices.DeleteFunc(t.tasksOf(job.ID), func(task farm.Task) bool { return task.Status != farm.TaskReady })
			result.Tasks = append(result.Tasks, ready...)
		}
		result.Jobs = append(result.Jobs, job)
	}
	return result
}

// saveOrRest saves a job, and queues it when it renders no more because it is held.
func (t *tables) saveOrRest(job *farm.Job) {
	if t.rests(job) {
		t.moveJob(job, farm.JobQueued)
	} else {
		t.saveJob(*job, job.Status)
	}
}

// rests says whether a job that renders is held and no machine has a task of it: until it is released, none gets one.
func (t *tables) rests(job *farm.Job) bool {
	return job.Hold && job.Status == farm.JobRendering && t.since(command.HoldRenderingLevel) && !anyLeased(t.tasksOf(job.ID))
}

func anyLeased(tasks []farm.Task) bool {
	return slices.ContainsFunc(tasks, func(task farm.Task) bool { return task.Status == farm.TaskLeased })
}
