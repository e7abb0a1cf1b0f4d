package coordinator

import (
	"context"

	"overcrank/farm"
	"overcrank/raftstore"
)

// Failures are the jobs of the caller's team that failed and still need somebody, by cause, the latest first.
func (c *Coordinator) Failures(_ context.Context, p farm.Principal) (groups []farm.FailureGroup, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		groups, err = tx.FailureGroups(p.Team)
		return err
	})
	return groups, err
}

// FailuresOf are jobs that failed for one cause and still need somebody, the latest first. before is the cursor that an earlier call gave, "" for
// the first page; next is "" on the last.
func (c *Coordinator) FailuresOf(_ context.Context, p farm.Principal, cause farm.Cause, before string, limit int) (jobs []farm.Job, next string, err error) {
	err = c.state.View(func(tx *raftstore.Tx) error {
		failures, more, err := tx.Failures(p.Team, cause, before, limit)
		if err != nil {
			return err
		}
		next = more
		for _, failure := range failures {
			job, err := tx.Job(failure.Job)
			if err != nil {
				return err
			}
			jobs = append(jobs, job)
		}
		return nil
	})
	return jobs, next, err
}

// Failure is why a job of the caller's team needs somebody; CodeNotFound when it does not.
func (c *Coordinator) Failure(_ context.Context, p farm.Principal, job string) (failure farm.OpenFailure, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		failure, err = tx.Failure(p.Team, job)
		return err
	})
	return failure, err
}
