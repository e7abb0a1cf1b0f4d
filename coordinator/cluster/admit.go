package cluster

import (
	"context"
	"fmt"
	"time"

	"overcrank/coordinator/membership"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// admit lets in a coordinator that asks, as a member without a vote, or updates a member's address.
func (c *Cluster) admit(ctx context.Context, from string, in nodeReport) (joinAnswer, error) {
	if in.ID != from {
		return joinAnswer{}, farm.Errorf(farm.CodeForbidden, "a coordinator may ask only for itself")
	}
	id, leader := c.raft.Leader()
	if id != c.raft.ID() {
		if leader == "" || leader == in.Cluster {
			return joinAnswer{}, farm.Errorf(farm.CodeUnavailable, "the farm has no leader at the moment")
		}
		return joinAnswer{Leader: leader}, nil
	}
	if err := c.raft.Confirm(ctx); err != nil {
		return joinAnswer{}, err
	}
	members, based, err := c.raft.Members()
	if err != nil {
		return joinAnswer{}, err
	}
	for _, member := range members {
		if member.ID == in.ID {
			return joinAnswer{}, c.relocate(ctx, member, in, based)
		}
	}
	if !in.Blank {
		return joinAnswer{Gone: fmt.Sprintf("it is not among the farm's coordinators: it was removed, or the farm was recovered without it (as %s knows)", c.self().Name)}, nil
	}
	if err := c.admissible(in); err != nil {
		return joinAnswer{}, err
	}
	if err := c.raft.AddFollower(ctx, in.ID, in.Cluster, based); err != nil {
		return joinAnswer{}, err
	}
	c.watch(in)
	c.log.Info("let a coordinator in; it gets a vote once it keeps up", "id", in.ID, "name", in.Name, "address", in.Cluster)
	record := in.Coordinator
	record.At = c.state.Now()
	c.record(ctx, command.PutCoordinator{Coordinator: record})
	return joinAnswer{}, nil
}

// relocate updates a member's address.
func (c *Cluster) relocate(ctx context.Context, member raftstore.Member, in nodeReport, based uint64) error {
	if member.Address == in.Cluster {
		return nil
	}
	if there, err := c.report(ctx, member.Address, 0); err == nil && there.ID == in.ID {
		return farm.Errorf(farm.CodeConflict, "coordinator %s already runs at %s, and another one with the same id asks from %s: was its folder copied?", in.ID, member.Address, in.Cluster)
	}
	c.log.Info("a coordinator's address changed", "id", in.ID, "was", member.Address, "is", in.Cluster)
	return c.setAddress(ctx, member, in.Cluster, based)
}

func (c *Cluster) setAddress(ctx context.Context, member raftstore.Member, address string, based uint64) error {
	if member.Voter {
		return c.raft.AddVoter(ctx, member.ID, address, based)
	}
	return c.raft.AddFollower(ctx, member.ID, address, based)
}

// admissible is nil for a coordinator that can join this farm. The error says why it cannot.
func (c *Cluster) admissible(in nodeReport) error {
	if c.peers.Alone() {
		return farm.Errorf(farm.CodeConflict, "this farm has no port for other coordinators: start the one it has with --cluster-listen, and --cluster-address where others reach it, first")
	}
	if in.Farm != "" && in.Farm != c.cfg.Farm {
		return farm.Errorf(farm.CodeConflict, "it has the key of another farm, %s; this one is %s", in.Farm, c.cfg.Farm)
	}
	if err := c.storage.ServesAll(); err != nil {
		return err
	}
	if level := c.Level(); in.Level < level {
		return farm.Errorf(farm.CodeConflict, "its version %s is too old: the farm's state is of level %d and that program understands level %d; install the overcrank of the other coordinators, %s", in.Version, level, in.Level, c.cfg.Version)
	}
	if skew := c.state.Now().Sub(in.At); skew.Abs() > membership.MostSkew {
		way := "behind"
		if skew < 0 {
			way = "ahead of"
		}
		return farm.Errorf(farm.CodeConflict, "its clock is %s %s the farm's: correct it first (for example with timedatectl set-ntp true)", wording.Length(skew.Abs()), way)
	}
	return nil
}

// watch starts to expect a member's reports.
func (c *Cluster) watch(in nodeReport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[in.ID] = &sighting{report: in, heard: time.Now()}
}
