package raftstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/raft"
)

// Leadership tells true when this node gains leadership and false when it loses it; the latest is never lost. There is
// one channel, for one reader.
func (s *Store) Leadership() <-chan bool { return s.raft.LeaderCh() }

// Leader is the id and Raft address of the node that leads the farm, both "" while there is none.
func (s *Store) Leader() (id, address string) {
	at, who := s.raft.LeaderWithID()
	return string(who), string(at)
}

// Barrier waits until this node, as leader, has applied all that was committed before.
func (s *Store) Barrier(ctx context.Context) error { return s.barrier(ctx, applyWait) }

// barrier waits as long as within for Raft to take the question up, 0 for as long as ctx lasts, and then for the answer.
func (s *Store) barrier(ctx context.Context, within time.Duration) error {
	if err := s.await(ctx, func() raft.Future { return s.raft.Barrier(within) })(); err != nil {
		return s.explain(err)
	}
	return nil
}

// awaitOwnLead waits, on a farm of one node, until the node leads and has applied its whole log.
func (s *Store) awaitOwnLead(ctx context.Context) error {
	servers, err := s.servers()
	if err != nil {
		return err
	}
	if len(servers) != 1 || servers[0].ID != raft.ServerID(s.id) {
		return nil
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for s.raft.State() != raft.Leader {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for leadership: %w", context.Cause(ctx))
		}
	}
	// A leader that applies a long log takes up nothing else meanwhile, and after a loss of power the log is long.
	if err := s.barrier(ctx, 0); err != nil {
		return err
	}
	if s.machine.halted.Load() {
		return errors.New("an entry of the log cannot be applied")
	}
	return nil
}

func (s *Store) servers() ([]raft.Server, error) {
	future := s.raft.GetConfiguration()
	if err := future.Error(); err != nil {
		return nil, fmt.Errorf("read the members of the farm: %w", err)
	}
	return future.Configuration().Servers, nil
}
