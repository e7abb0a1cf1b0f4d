package coordinator

import (
	"context"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
)

// mostSifted is among how many records of a team those are looked for that wait for somebody: the overview of each reader asks for them whenever
// something happens.
const mostSifted = 500

// OwnFailures are the failures of one cause among the jobs that one person has submitted.
type OwnFailures struct {
	farm.FailureGroup
	Jobs []string // ids, the latest failure first
}

// OwnFailures are the jobs that the caller has submitted, that failed and still need somebody, by cause, the latest first. more says that the team
// has so many that not all of them were looked at.
func (c *Coordinator) OwnFailures(_ context.Context, p farm.Principal) (own []OwnFailures, more bool, err error) {
	err = c.state.View(func(tx *raftstore.Tx) error {
		groups, err := tx.FailureGroups(p.Team)
		if err != nil {
			return err
		}
		left := mostSifted
		for _, g := range groups {
			if left == 0 {
				more = true
				return nil
			}
			failures, next, err := tx.Failures(p.Team, g.Cause, "", left)
			if err != nil {
				return err
			}
			left, more = left-len(failures), more || next != ""
			mine, err := failuresBy(tx, p.Name, g.Cause, failures)
			if err != nil {
				return err
			}
			if len(mine.Jobs) > 0 {
				own = append(own, mine)
			}
		}
		return nil
	})
	slices.SortStableFunc(own, func(a, b OwnFailures) int { return b.Last.Compare(a.Last) })
	return own, more, err
}

// failuresBy are those failures of a cause whose jobs a person has submitted. They come with the latest first.
func failuresBy(tx *raftstore.Tx, name string, cause farm.Cause, failures []farm.OpenFailure) (own OwnFailures, err error) {
	own.Cause = cause
	for _, failure := range failures {
		head, err := tx.JobHead(failure.Job)
		if err != nil {
			return own, err
		}
		if head.SubmittedBy != name {
			continue
		}
		if own.Count == 0 {
			own.Latest, own.Last = failure, failure.At
		}
		own.First, own.Count, own.Jobs = failure.At, own.Count+1, append(own.Jobs, failure.Job)
	}
	return own, nil
}

// AwaitingApproval are the jobs of the caller's team of which somebody has to look at the first frames before the rest is rendered, without their
// particulars; those that come first in line first. more says that so many jobs are in line that not all of them were looked at.
func (c *Coordinator) AwaitingApproval(_ context.Context, p farm.Principal) (jobs []farm.Job, more bool, err error) {
	err = c.state.View(func(tx *raftstore.Tx) error {
		line, next, err := tx.Jobs(p.Team, farm.JobQuery{States: []farm.JobStatus{farm.JobQueued}, Sort: "priority", Limit: mostSifted, Minimal: true})
		if err != nil {
			return err
		}
		more = next != ""
		for _, job := range line {
			if !job.Approve || !job.ApprovedAt.IsZero() || job.Hold || job.StartedAt.IsZero() {
				continue // before anything is read of its tasks, which may be very many
			}
			tasks, err := tx.TasksOf(job.ID)
			if err != nil {
				return err
			}
			if job.AwaitsApproval(tasks) {
				jobs = append(jobs, job)
			}
		}
		return nil
	})
	return jobs, more, err
}

// DoneToday is what machines did for the caller's team since a moment of the last two days, and how many jobs that the caller had submitted have
// finished since.
func (c *Coordinator) DoneToday(_ context.Context, p farm.Principal, since time.Time) (team farm.Sum, own int, err error) {
	err = c.state.View(func(tx *raftstore.Tx) error {
		team, own, err = tx.SumsBetween(p.Team, p.Name, since, c.state.Now().Add(farm.DayPart))
		return err
	})
	return team, own, err
}
