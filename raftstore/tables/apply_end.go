package tables

import (
	"time"

	"overcrank/farm"
)

// jobEnded notes what follows a job's end: a webhook that is owed, duties by time, and notices to people. It is called once per job, after the job has been saved.
func (t *tables) jobEnded(job farm.Job) {
	t.oweDelivery(job)
	t.oweDuties(job)
	t.tellOfEnd(job)
	t.sumUpJob(job)
}

// endOf is when a job that has ended did so: nothing changes its time of change afterwards.
func endOf(job farm.Job) time.Time { return job.UpdatedAt }
