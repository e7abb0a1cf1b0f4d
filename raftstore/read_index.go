package raftstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"overcrank/farm"
	"overcrank/interval"
)

// freshWithin bounds one look at where the farm's log is.
const freshWithin = 5 * time.Second

// Fresh waits until this node's state has all that was acknowledged, on any node, before it was called. It is the read index of
// the Raft thesis (Ongaro 2014, 6.4); callers at the same time share one.
func (s *Store) Fresh(ctx context.Context) error {
	if s.IsFresh() {
		return nil
	}
	index, err := s.queries.join(ctx, s.readIndex)
	if err != nil {
		return err
	}
	return s.awaitApplied(ctx, index)
}

// ReadIndex is, on the leader, an index up to which everything is committed that was acknowledged before the call; another node
// that has applied it has nothing older to show. The error is ErrNotTaken when this node does not lead.
func (s *Store) ReadIndex(ctx context.Context) (uint64, error) {
	if s.raft.State() != raft.Leader {
		return 0, ErrNotTaken
	}
	// What earlier leaders committed is known only once an entry of the present term is.
	term := s.raft.CurrentTerm()
	if s.caughtUp.Load() != term {
		if err := s.await(ctx, func() raft.Future { return s.raft.Barrier(freshWithin) })(); err != nil {
			return 0, errors.Join(ErrNotTaken, err)
		}
		s.caughtUp.Store(term)
	}
	index := s.raft.CommitIndex()
	if err := s.await(ctx, s.raft.VerifyLeader)(); err != nil {
		return 0, errors.Join(ErrNotTaken, err)
	}
	if s.raft.CurrentTerm() != term {
		return 0, ErrNotTaken
	}
	return index, nil
}

// readIndex asks the leader, whoever that is, until it answers.
func (s *Store) readIndex() (uint64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*leaderWait)
	defer cancel()
	for {
		lead, err := s.awaitLeader(ctx)
		if err != nil {
			return 0, noLeader(err)
		}
		index, err := s.indexFrom(ctx, lead)
		if err == nil {
			return index, nil
		}
		if s.stopped() {
			return 0, s.explain(raft.ErrRaftShutdown)
		}
		if interval.Wait(ctx, leaderLook) != nil {
			return 0, noLeader(err)
		}
	}
}

func noLeader(err error) error {
	if farm.CodeOf(err) == farm.CodeUnavailable {
		return err
	}
	return farm.Errorf(farm.CodeUnavailable, "the farm's leader does not answer: %w", err)
}

func (s *Store) indexFrom(ctx context.Context, lead Leading) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, freshWithin)
	defer cancel()
	if lead.ID == s.id {
		return s.ReadIndex(ctx)
	}
	if s.askIndex == nil {
		return 0, ErrNotTaken
	}
	ctx, stop := s.under(ctx, lead)
	defer stop()
	return s.askIndex(ctx, lead)
}

// awaitApplied waits until this node's state has the entry at an index.
func (s *Store) awaitApplied(ctx context.Context, index uint64) error {
	for {
		grown := s.machine.progress.next()
		if s.hasApplied(index) {
			return nil
		}
		// Entries of Raft's own do not tell that they have come.
		timer := time.NewTimer(leaderLook)
		select {
		case <-grown:
		case <-timer.C:
		case <-s.parted:
			timer.Stop()
			return errParted
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("wait for this node to have change %d: %w", index, context.Cause(ctx))
		}
		timer.Stop()
		if s.stopped() {
			return s.explain(raft.ErrRaftShutdown)
		}
	}
}

// hasApplied says whether the state has all up to an index. Entries of Raft's own never reach it: they count as soon as this
// node has them and nothing else lies between.
func (s *Store) hasApplied(index uint64) bool {
	var entry raft.Log
	for ; s.machine.last.Load() < index; index-- {
		err := s.log.GetLog(index, &entry)
		if errors.Is(err, raft.ErrLogNotFound) {
			// It has not come yet, or went when the log was shortened behind a snapshot of a state that had it.
			first, err := s.log.FirstIndex()
			return err == nil && (first == 0 || first > index) && s.raft.AppliedIndex() >= index
		}
		if err != nil || entry.Type == raft.LogCommand || entry.Type == raft.LogConfiguration {
			return false
		}
	}
	return true
}

// IsFresh says whether Fresh need not wait, as on a node alone: nobody else could have acknowledged anything.
func (s *Store) IsFresh() bool {
	// One whose disk takes nothing leads no more, and shows what it has.
	return s.alone() && (s.raft.State() == raft.Leader || s.log.check() != nil)
}

// alone says whether this node is the farm's only one.
func (s *Store) alone() bool {
	servers := s.raft.GetConfiguration().Configuration().Servers
	return len(servers) == 1 && servers[0].ID == raft.ServerID(s.id)
}

// broadcast wakes all who wait for the next of something.
type broadcast struct {
	mu   sync.Mutex
	wake chan struct{} // nil while nobody waits
}

// next is closed with the next tell.
func (b *broadcast) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wake == nil {
		b.wake = make(chan struct{})
	}
	return b.wake
}

func (b *broadcast) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.wake != nil {
		close(b.wake)
		b.wake = nil
	}
}

// indexQueries ask where the log is: one at a time, each for all who asked before it began.
type indexQueries struct {
	mu      sync.Mutex
	running bool
	next    *indexQuery // the one that has not begun
	work    sync.WaitGroup
}

type indexQuery struct {
	done  chan struct{}
	index uint64
	err   error
}

// join waits for the next look.
func (l *indexQueries) join(ctx context.Context, at func() (uint64, error)) (uint64, error) {
	l.mu.Lock()
	if l.next == nil {
		l.next = &indexQuery{done: make(chan struct{})}
	}
	mine := l.next
	if !l.running {
		l.running = true
		l.work.Go(func() { l.run(at) })
	}
	l.mu.Unlock()
	select {
	case <-mine.done:
		return mine.index, mine.err
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for the farm's leader: %w", context.Cause(ctx))
	}
}

func (l *indexQueries) run(at func() (uint64, error)) {
	for {
		l.mu.Lock()
		mine := l.next
		l.next = nil
		if mine == nil {
			l.running = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		mine.index, mine.err = at()
		close(mine.done)
	}
}
