package raftstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/raft"

	"overcrank/farm"
)

// Member is one node of the farm's Raft.
type Member struct {
	ID      string `json:"id"`
	Address string `json:"address"` // host:port at which the other nodes reach it
	Voter   bool   `json:"voter"`   // counts for a majority; others only follow
}

// Members are the nodes of the farm's Raft, as far as this node has heard, and the index of the log entry that says so.
func (s *Store) Members() ([]Member, uint64, error) {
	future := s.raft.GetConfiguration()
	if err := future.Error(); err != nil {
		return nil, 0, fmt.Errorf("read the members of the farm: %w", err)
	}
	return membersOf(future.Configuration()), future.Index(), nil
}

func membersOf(c raft.Configuration) []Member {
	members := make([]Member, len(c.Servers))
	for i, server := range c.Servers {
		members[i] = Member{ID: string(server.ID), Address: string(server.Address), Voter: server.Suffrage == raft.Voter}
	}
	return members
}

// The changes of the members are made on the leader, one after the other: each takes the index that Members gave with what it
// is based on, and is refused with CodeUnavailable when somebody else has changed the members since. All return once the
// change is committed.

// AddFollower makes a node a member that has no vote, or gives a member that has none another address.
func (s *Store) AddFollower(ctx context.Context, id, address string, based uint64) error {
	return s.change(ctx, "add node "+id, s.raft.AddNonvoter(raft.ServerID(id), raft.ServerAddress(address), based, applyWait))
}

// AddVoter gives a member a vote, or a voter another address.
func (s *Store) AddVoter(ctx context.Context, id, address string, based uint64) error {
	return s.change(ctx, "give node "+id+" a vote", s.raft.AddVoter(raft.ServerID(id), raft.ServerAddress(address), based, applyWait))
}

// RemoveMember removes a member. The last voter cannot be removed.
func (s *Store) RemoveMember(ctx context.Context, id string, based uint64) error {
	return s.change(ctx, "remove node "+id, s.raft.RemoveServer(raft.ServerID(id), based, applyWait))
}

// errParted is what this node says of all that it would have to hear from the farm's log.
var errParted = farm.Errorf(farm.CodeUnavailable, "this coordinator is no longer part of the farm; ask another")

// Part tells this node that it was removed. The log goes on without it, so whoever waits here for an entry of it, and whoever comes later, is told
// so with CodeUnavailable. What the node had before can still be read.
func (s *Store) Part() { s.parting.Do(func() { close(s.parted) }) }

// hasParted says whether Part was called.
func (s *Store) hasParted() bool {
	select {
	case <-s.parted:
		return true
	default:
		return false
	}
}

// TransferLead hands the lead over to another voter; with id "" to the one that is furthest in the log.
func (s *Store) TransferLead(ctx context.Context, id string) error {
	members, _, err := s.Members()
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(members, func(m Member) bool { return !m.Voter || m.ID == s.id })
	var future raft.Future
	switch i := slices.IndexFunc(others, func(m Member) bool { return m.ID == id }); {
	case id == "" && len(others) == 0:
		return farm.Errorf(farm.CodeConflict, "no other coordinator has a vote, so none can lead the farm instead")
	case id == "":
		future = s.raft.LeadershipTransfer()
	case i < 0:
		return farm.Errorf(farm.CodeConflict, "node %s has no vote, so it cannot lead the farm", id)
	default:
		future = s.raft.LeadershipTransferToServer(raft.ServerID(id), raft.ServerAddress(others[i].Address))
	}
	return s.change(ctx, "hand over the lead", future)
}

func (s *Store) change(ctx context.Context, what string, future raft.Future) error {
	err := s.await(ctx, func() raft.Future { return future })()
	var known *farm.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, raft.ErrNotLeader), errors.Is(err, raft.ErrLeadershipLost), errors.Is(err, raft.ErrEnqueueTimeout),
		errors.Is(err, raft.ErrRaftShutdown), errors.Is(err, raft.ErrLeadershipTransferInProgress):
		err = s.explain(err)
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
	default:
		err = farm.Errorf(farm.CodeUnavailable, "the farm could not %s: %w", what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Confirm asks a majority of the nodes whether this node still leads; nil when it does.
func (s *Store) Confirm(ctx context.Context) error {
	if err := s.await(ctx, s.verifyLeader)(); err != nil {
		return s.explain(err)
	}
	return nil
}

func (s *Store) verifyLeader() raft.Future { return s.raft.VerifyLeader() }

// Progress is how far a node is.
type Progress struct {
	Term      uint64
	Last      uint64 // index of the newest entry of its log
	Committed uint64 // index up to which it knows the log to be committed
	Applied   uint64 // index of the newest entry that its state has looked at
	State     uint64 // index of the newest command in its state, for FingerprintAt
}

// Progress says how far this node is.
func (s *Store) Progress() Progress {
	return Progress{
		Term: s.raft.CurrentTerm(), Last: s.raft.LastIndex(), Committed: s.raft.CommitIndex(), Applied: s.raft.AppliedIndex(),
		State: s.machine.last.Load(),
	}
}

// Blank says whether this node has never been part of a farm.
func (s *Store) Blank() bool { return s.raft.LastIndex() == 0 }

// foundFarm makes this node, which has to be blank, one of those that begin a new farm. All of them are told the same peers;
// whoever of them has not been told hears of it from the others.
func (s *Store) Found(ctx context.Context, peers []Peer) error {
	var members raft.Configuration
	for _, peer := range peers {
		members.Servers = append(members.Servers, raft.Server{ID: raft.ServerID(peer.ID), Address: raft.ServerAddress(peer.Address)})
	}
	err := s.await(ctx, func() raft.Future { return s.raft.BootstrapCluster(members) })()
	if errors.Is(err, raft.ErrCantBootstrap) {
		return nil // it has heard of it from the others
	}
	if err != nil {
		return fmt.Errorf("found the farm: %w", err)
	}
	return nil
}

// Free is how many bytes are free on the disk of the farm's state, as of the last second.
func (s *Store) Free() (int64, error) {
	_ = s.disk.check() // for its measurement; whether writes are refused does not matter here
	s.disk.mu.Lock()
	defer s.disk.mu.Unlock()
	return s.disk.free, s.disk.err
}
