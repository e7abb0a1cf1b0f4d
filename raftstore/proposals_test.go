package raftstore

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/raft"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// TestWhatWasTakenIsSettledByItsTerm asks a leader for the same proposal several times, as a node does that lost its connection.
func TestWhatWasTakenIsSettledByItsTerm(t *testing.T) {
	var known taken
	calls := 0
	ask := func(term uint64, index uint64, err error) (uint64, error) {
		return known.once(t.Context(), term, "p", time.Now(), func() (uint64, error) { calls++; return index, err })
	}
	if _, err := ask(5, 0, raft.ErrLeadershipLost); !errors.Is(err, raft.ErrLeadershipLost) {
		t.Fatal(err)
	}
	if _, err := ask(5, 9, nil); !errors.Is(err, raft.ErrLeadershipLost) || calls != 1 {
		t.Errorf("in the same term it was done again: %v", err)
	}
	if index, err := ask(7, 9, nil); index != 9 || err != nil || calls != 2 {
		t.Errorf("a leader that lost the lead and has it again answers %d, %v", index, err)
	}
	if index, err := ask(8, 10, nil); index != 9 || err != nil || calls != 2 {
		t.Errorf("what stands was done again: %d, %v", index, err)
	}
}

func TestWhatIsUnderWayIsWaitedForInAnyTerm(t *testing.T) {
	var known taken
	begun, end := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		_, _ = known.once(context.Background(), 5, "p", time.Now(), func() (uint64, error) { close(begun); <-end; return 3, nil })
	})
	<-begun
	var again sync.WaitGroup
	again.Go(func() {
		index, err := known.once(context.Background(), 6, "p", time.Now(), func() (uint64, error) { return 4, nil })
		if index != 3 || err != nil {
			t.Errorf("it came to %d, %v", index, err)
		}
	})
	close(end)
	first.Wait()
	again.Wait()
}

// TestACommandIsInTheLogOnceThoughItsLeaderChanges loses the answer of a leader, which takes the command late, just before another
// leads that has it in its log.
func TestACommandIsInTheLogOnceThoughItsLeaderChanges(t *testing.T) {
	var c *cluster
	var mu sync.Mutex
	var lost func()
	calls, sender := 0, atomic.Int64{}
	sender.Store(-1)
	var applied atomic.Int64
	c = newSteadyCluster(t, 3, func(i int, cfg *Config) {
		deliver := cfg.Forward
		cfg.Forward = func(ctx context.Context, to Leading, p Proposal) (uint64, error) {
			if sender.Load() != int64(i) {
				return deliver(ctx, to, p)
			}
			mu.Lock()
			calls++
			call, late := calls, lost
			if call == 1 {
				lost = func() {
					if _, err := deliver(context.Background(), to, p); err != nil {
						t.Errorf("the leader did not take it: %v", err)
					}
					if err := c.node(to.ID).raft.LeadershipTransfer().Error(); err != nil {
						t.Errorf("the leader did not hand over: %v", err)
					}
				}
			}
			mu.Unlock()
			switch call {
			case 1:
				return 0, errors.New("the connection was cut")
			case 2:
				late()
			}
			return deliver(ctx, to, p)
		}
		cfg.Applied = func(results []command.Result) {
			if sender.Load() == int64(i) {
				applied.Add(int64(len(results)))
			}
		}
	})
	leader := c.leader()
	follower := (leader + 1) % 3
	if err := c.nodes[follower].Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	sender.Store(int64(follower))
	if _, err := c.nodes[follower].Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: "once"}}); err != nil {
		t.Fatal(err)
	}
	if err := c.nodes[follower].Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if calls < 2 || applied.Load() != 1 {
		t.Errorf("it was sent %d times and is in the log %d times", calls, applied.Load())
	}
}
