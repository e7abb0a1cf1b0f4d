package coordinator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"overcrank/coordinator/retention"
	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore/command"
)

const (
	housekeepEvery = 10 * time.Minute
	packagesEvery  = 5 * time.Second // between looks into the folder of packages, which list it
	// partGrace is how long a part of a batch waits for the other ones.
	partGrace = time.Hour
)

// housekeep deletes what has expired and what nothing names. It looks at files, never at the history of jobs.
func (c *Coordinator) housekeep(ctx context.Context) {
	interval.Every(ctx, housekeepEvery, func() {
		if err := c.tidy(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("housekeeping", "error", err)
		}
	})
}

// takePackages has the farm hand out the packages that were installed beside this coordinator, while it leads.
func (c *Coordinator) takePackages(ctx context.Context) {
	if c.cfg.PackageDir == "" {
		return
	}
	shipped := c.downloads.Shipped(c.cfg.PackageDir)
	interval.Every(ctx, packagesEvery, func() {
		if c.Leads() {
			shipped.Take(ctx)
		}
	})
}

func (c *Coordinator) tidy(ctx context.Context) error {
	if !c.Leads() || !c.clock.trusted() {
		return nil
	}
	now := c.cfg.Now()
	var err error
	for _, cmd := range []command.Command{
		command.ExpireFiles{At: now}, command.DropParts{Before: now.Add(-partGrace)},
	} {
		_, failed := c.state.Apply(ctx, cmd)
		err = errors.Join(err, failed)
	}
	return errors.Join(err, c.store.GiveUpRestoring(ctx, now), c.requests.Forget(ctx, now), c.audit.Forget(ctx, now), c.DropExpiredTokens(ctx), c.DropSessions(ctx), c.ForgetInvitations(ctx), c.cluster.ForgetInvitations(ctx), c.sweepFiles(ctx))
}

// sweepFiles deletes files that nothing names. Only the leader does, and only as long as the others agree that it is: a state that is
// behind would not know of what has just come.
func (c *Coordinator) sweepFiles(ctx context.Context) error {
	if err := c.store.Barrier(ctx); err != nil {
		return fmt.Errorf("making sure that this coordinator leads, before files are deleted: %w", err)
	}
	return errors.Join(c.retention.SweepBlobs(ctx), c.results.Sweep(ctx), c.sweepPrivate(ctx), c.uploads.Sweep(ctx), c.files.Sweep(ctx))
}

func (c *Coordinator) sweepPrivate(ctx context.Context) error {
	before, err := c.retention.UnnamedBefore()
	if err != nil {
		return err
	}
	return c.private.Sweep(ctx, before)
}

// retentionFarm is what retention knows of this coordinator.
type retentionFarm struct{ *Coordinator }

var _ retention.Farm = retentionFarm{}

func (c retentionFarm) ClockTrusted() bool { return c.clock.trusted() }

func (c retentionFarm) Whole(ctx context.Context, job farm.Job) (farm.Job, error) {
	return c.private.Whole(ctx, job)
}

func (c retentionFarm) DeleteApart(ctx context.Context, job string) error {
	return c.private.Delete(ctx, job)
}

func (c retentionFarm) Changed(job farm.Job) {
	c.hub.Spread(farm.Event{Kind: farm.EventJob, Team: job.Team, ID: job.ID})
}
