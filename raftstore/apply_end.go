package raftstore

import "overcrank/farm"

// ended notes what the end of a job brings with it. It is called once per job, when the job has been saved in its last state.
func (t *tables) ended(job farm.Job) {
}
