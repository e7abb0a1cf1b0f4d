package coordinator

import (
	"context"
	"slices"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// JobChange is what is to be different about a job that has not ended; nil leaves a field as it is.
type JobChange struct {
	Name      *string
	Tags      *[]string
	Priority  *int
	Level     *farm.Level
	NotBefore *time.Time // zero: at once
}

// ChangeJob changes where a job of the caller's team stands in line, with those nested in it, and what it is called. What renders
// goes on. CodeConflict for a job that has ended.
func (c *Coordinator) ChangeJob(ctx context.Context, p farm.Principal, id string, change JobChange) (farm.Job, error) {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return farm.Job{}, err
	}
	job, err := c.state.JobOf(p, id)
	if err != nil {
		return farm.Job{}, err
	}
	if change.Level != nil && *change.Level != job.Level {
		if err := c.mayChoose(p, *change.Level); err != nil {
			return farm.Job{}, err
		}
	}
	if change.Tags != nil {
		if err := tables.CheckTags(id, *change.Tags); err != nil {
			return farm.Job{}, err
		}
		tags := slices.Compact(slices.Sorted(slices.Values(*change.Tags)))
		change.Tags = &tags
	}
	_, err = c.state.Apply(ctx, command.ChangeJob{
		Team: p.Team, ID: id, Name: change.Name, Tags: change.Tags, Priority: change.Priority, Level: change.Level, NotBefore: change.NotBefore,
		At: c.cfg.Now(),
	})
	if err != nil {
		return farm.Job{}, err
	}
	return c.Job(ctx, p, id)
}

// mayChoose refuses a level that the caller may not choose for a job. Only rush asks the policy: the other levels are for everybody
// who may submit, and most jobs have one of them.
func (c *Coordinator) mayChoose(p farm.Principal, level farm.Level) error {
	if level != farm.LevelRush {
		return nil
	}
	policy, err := c.policy()
	if err != nil {
		return err
	}
	return policy.MayRush(p)
}
