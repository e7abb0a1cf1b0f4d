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

// levelEvery is how soon the farm takes up what its last coordinator has come to understand.
const levelEvery = time.Second

// KeepLevel raises the farm's level as its coordinators are updated, while this one leads.
func (c *Cluster) KeepLevel(ctx context.Context) {
	interval.Every(ctx, levelEvery, func() {
		if !c.farm.Works() {
			return
		}
		if err := c.raiseLevel(ctx); err != nil && ctx.Err() == nil {
			c.log.Warn("the farm's level was not raised; it is tried again", "error", err)
		}
	})
}

// RaiseAlone has a farm of one coordinator use all that its release brings before it says that it is ready: there is no other to wait for, and
// what somebody asks of a new farm at once is not refused for want of it. What fails here KeepLevel tries again.
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

// raiseLevel lets the farm use whatever all its members understand.
func (c *Cluster) raiseLevel(ctx context.Context) error {
	members, _, err := c.raft.Members()
	if err != nil {
		return err
	}
	level, known := command.NewestLevel, map[string]farm.Coordinator{}
	var now int
	var by string // whose release raised it last
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
		level = min(level, known[member.ID].Level) // 0 for one that has not said yet who it is
	}
	if level <= now {
		return nil
	}
	if _, err := c.state.Apply(ctx, command.SetLevel{Level: level, Version: c.cfg.Version}); err != nil {
		return err
	}
	c.farm.LevelRaised(ctx)
	if by != "" { // or the farm is new, or comes from the first release, which is told elsewhere
		c.log.Info("all coordinators understand what this release brings, which the farm uses from now on; none can go back to an earlier one without a backup",
			"level", level, "version", c.cfg.Version, "before", by)
	}
	return nil
}

// Level is that of the farm's state: all of its coordinators have to understand its commands.
func (c *Cluster) Level() (level int) {
	_ = c.state.View(func(tx *raftstore.Tx) error {
		level, _, _ = tx.Level()
		return nil
	})
	return level
}

// Recordable is an inventory as the farm's level lets it be recorded.
func (c *Cluster) Recordable(inv farm.Inventory) farm.Inventory {
	if c.Level() < command.RootsLevel {
		inv.Roots = nil
	}
	return inv
}
