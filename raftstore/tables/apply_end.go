package tables

import (
	"time"

	"overcrank/farm"
)

// ended notes what the end of a job brings with it. It is called once per job, when the job has been saved in its last state.
func (t *tables) ended(job farm.Job) {
	t.oweDelivery(job)
	t.oweDuties(job)
}

// endOf is when a job that has ended did so: nothing changes its time of change afterwards.
func endOf(job farm.Job) time.Time { return job.UpdatedAt }
