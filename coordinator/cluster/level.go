package cluster

import (
	"context"
	"fmt"
	"time"

	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// levelEvery is how often the level is checked.
const levelEvery = time.Second

// KeepLevel raises the farm's level as its coordinators are updated, while this one leads.
func (c *Cluster) KeepLevel(ctx context.Context) {
	interval.Every(ctx, levelEvery, func() {
		if !c.farm.Works() {
			return
		}
		if err := c.raiseLevel(ctx); err != nil && ctx.Err() == nil {
			c.log.Warn("raising the farm's level; trying again", "error", err)
		}
	})
}

// RaiseAlone raises the level of a farm with one coordinator before it reports that it is ready: there are no others to wait for, and the
// first requests to a new farm must not be refused. Failures are left to KeepLevel.
func (c *Cluster) RaiseAlone(ctx context.Context) {
	members, _, err := c.raft.Members()
	if err != nil || len(members) != 1 || members[0].ID != c.raft.ID() || c.Level() >= command.NewestLevel {
		return
	}
	c.announce(ctx)
	if err := c.raiseLevel(ctx); err != nil && ctx.Err() == nil {
		c.log.Info("the farm's level was not raised yet", "error", err)
	}
}

// raiseLevel raises the farm's level to what all its members understand.
func (c *Cluster) raiseLevel(ctx context.Context) error {
	members, _, err := c.raft.Members()
	if err != nil {
		return err
	}
	level, known := command.NewestLevel, map[string]farm.Coordinator{}
	var now int
	var by string // version that raised it last
	err = c.state.View(func(tx *raftstore.Tx) error {
		records, err := tx.Coordinators()
		if err != nil {
			return err
		}
		for _, record := range records {
			known[record.ID] = record
		}
		now, by, err = tx.Level()
		return err
	})
	if err != nil {
		return fmt.Errorf("reading the farm's level: %w", err)
	}
	for _, member := range members {
		level = min(level, known[member.ID].Level) // 0 without a record yet
	}
	if level <= now {
		return nil
	}
	if _, err := c.state.Apply(ctx, command.SetLevel{Level: level, Version: c.cfg.Version}); err != nil {
		return err
	}
	c.farm.LevelRaised(ctx)
	if by != "" { // "" for a new farm, and for one of the first release, where it is logged elsewhere
		c.log.Info("all coordinators run this release, and the farm uses its new features from now on; going back to an earlier release needs a backup",
			"level", level, "version", c.cfg.Version, "before", by)
	}
	return nil
}

// Level is the level of the farm's state: all coordinators have to understand its commands.
func (c *Cluster) Level() int { return c.state.Level() }

// Recordable returns an inventory without what the farm's level cannot record yet.
func (c *Cluster) Recordable(inv farm.Inventory) farm.Inventory {
	if c.Level() < command.RootsLevel {
		inv.Roots = nil
	}
	if c.Level() < command.EncodersLevel {
		inv.Encoders, inv.FFmpeg = nil, nil
	}
	return inv
}
