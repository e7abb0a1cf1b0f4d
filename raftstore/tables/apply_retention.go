package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// Duty is what is to be done with a job some time after its end.
type Duty byte

// The duties. Those of a family of nested jobs stand with its first job.
const (
	DutyErase   Duty = 'e' // take project and assets, which must not be kept, out of the job and its log, at once
	DutyRedact  Duty = 'r' // take all that is particular out of the job and its log
	DutyOutputs Duty = 'o' // drop the results of the family
	DutyHistory Duty = 'h' // forget the family
)

func duties() []Duty { return []Duty{DutyErase, DutyRedact, DutyOutputs, DutyHistory} }

// dutyKey sorts the jobs with a duty by their ends.
func dutyKey(duty Duty, job farm.Job) string { return keyAt(string(duty), endOf(job), job.ID) }

// oweDuties notes what is to be done with a job that has just ended.
func (t *tables) oweDuties(job farm.Job) {
	for _, duty := range duties() {
		if t.hasDuty(duty, job) {
			t.set(bucketDuties, dutyKey(duty, job), nil)
		}
	}
}

// hasDuty says whether a job that has ended, and to which nothing has been done since, has a duty. A nested job whose parent
// has been forgotten stands for itself.
func (t *tables) hasDuty(duty Duty, job farm.Job) bool {
	switch duty {
	case DutyErase:
		return job.Private
	case DutyRedact:
		return true
	default:
		return job.Parent == "" || !t.has(bucketJobs, job.Parent)
	}
}

func (t *tables) redactJobs(c command.RedactJobs) (result command.Result) {
	result.Each = t.each(len(c.Jobs), func(i int) *farm.Error {
		redaction := c.Jobs[i]
		job, err := t.endedJob(redaction.ID)
		if err == nil && (c.Erase && !job.ErasedAt.IsZero() || !c.Erase && !job.RedactedAt.IsZero()) {
			err = farm.Errorf(farm.CodeConflict, "job %s has been redacted already", job.ID)
		}
		if err != nil {
			return err
		}
		if c.Erase {
			t.remove(bucketDuties, dutyKey(DutyErase, job))
			job.Erase()
			job.ErasedAt = c.At
			t.dropOwnFiles(job)
		} else {
			t.remove(bucketDuties, dutyKey(DutyRedact, job))
			job.Redact(c.At)
			t.closeFailure(job.Team, job.ID) // whose cause names things of the job
		}
		job.Error, job.Warnings = redaction.Error, redaction.Warnings
		t.saveJob(job, job.Status)
		t.saveContent(job)
		for _, task := range t.tasksOf(job.ID) {
			if task.Error != "" {
				task.Error = farm.Redacted
				t.saveTask(task, task.Status)
			}
			t.redactAttempts(task.ID)
		}
		result.Trimmed = append(result.Trimmed, job.ID)
		return nil
	})
	return result
}

// dropOwnFiles forgets the stored files that were made of a job's own data: addresses, unless another job needs them.
func (t *tables) dropOwnFiles(job farm.Job) {
	for _, sha256 := range job.KeptFiles() {
		file, ok := get[farm.StoredFile](t, bucketFiles, fileKey(job.Team, sha256))
		if ok && file.Job == job.ID && t.count(countOfJobRefs(sha256)) == 0 {
			t.dropFile(file)
		}
	}
}

func (t *tables) expireOutputs(c command.ExpireOutputs) command.Result {
	return command.Result{Each: t.each(len(c.IDs), func(i int) *farm.Error {
		id := c.IDs[i]
		job, err := t.endedJob(id)
		if err != nil {
			return err
		}
		t.remove(bucketDuties, dutyKey(DutyOutputs, job))
		for _, member := range t.family(job) {
			if member.Status.Ended() && member.Output != nil && member.Output.Remote == nil && member.Output.GoneAt.IsZero() {
				output := *member.Output
				output.GoneAt = c.At
				member.Output = &output
				t.saveJob(member, member.Status)
			}
		}
		return nil
	})}
}

// purgeJobs keeps a nested job that has not ended; from then on it counts as a job of its own.
func (t *tables) purgeJobs(c command.PurgeJobs) (result command.Result) {
	result.Each = t.each(len(c.IDs), func(i int) *farm.Error {
		id := c.IDs[i]
		job, err := t.endedJob(id)
		if err == nil && t.has(bucketJobs, job.Parent) {
			err = farm.Errorf(farm.CodeConflict, "job %s is nested in job %s and goes with it", id, job.Parent)
		}
		if err != nil {
			return err
		}
		for _, member := range t.family(job) {
			if member.Status.Ended() {
				t.dropJob(member)
				result.Trimmed = append(result.Trimmed, member.ID)
			}
		}
		return nil
	})
	return result
}

func (t *tables) endedJob(id string) (farm.Job, *farm.Error) {
	job, ok := t.job(id)
	switch {
	case !ok:
		return job, noJob(id)
	case !job.Status.Ended():
		return job, farm.Errorf(farm.CodeConflict, "job %s has not ended: it is %s", id, job.Status)
	}
	return job, nil
}

// family is a job and those nested in it, at any depth.
func (t *tables) family(job farm.Job) []farm.Job {
	members := []farm.Job{job}
	for i := 0; i < len(members); i++ {
		for _, id := range members[i].Children {
			if child, ok := t.job(id); ok {
				members = append(members, child)
			}
		}
	}
	return members
}

// dropJob forgets a job that has ended and everything that belongs to it.
func (t *tables) dropJob(job farm.Job) {
	t.closeFailure(job.Team, job.ID)
	t.remove(bucketJobs, job.ID)
	t.remove(bucketContents, job.ID)
	t.listJob(&job, job.Status, t.remove)
	t.add(t.countOfJobs(job.Team, job.Status), -1)
	t.countInProject(&job, job.Status, -1)
	t.leaveBatch(job)
	for _, task := range t.tasksOf(job.ID) {
		t.remove(bucketTasks, task.ID)
		t.dropAttempts(task.ID)
	}
	t.dropJobMachines(&job)
	t.dropDelivery(job.ID)
	t.dropReviews(job)
	for _, duty := range duties() {
		t.remove(bucketDuties, dutyKey(duty, job))
	}
}

// leaveBatch takes a job out of its batch, and drops a batch whose last job that was.
func (t *tables) leaveBatch(job farm.Job) {
	t.countInBatch(&job, job.Status, -1)
	for _, status := range farm.JobStatuses() {
		if t.count(t.countOfBatch(job.Batch, status)) > 0 {
			return
		}
	}
	if job.Batch != "" {
		t.remove(bucketBatches, job.Batch)
		t.remove(bucketBatchesByTeam, job.Team+sep+job.Batch)
	}
}
