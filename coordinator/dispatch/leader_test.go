package dispatch

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"overcrank/coordinator/state"
	"overcrank/faults/leaktest"
	"overcrank/raftstore"
)

// heard tells of lines of a log.
type heard struct{ lines chan struct{} }

func (h heard) Write(p []byte) (int, error) {
	h.lines <- struct{}{}
	return len(p), nil
}

// A leader that cannot read the state yet lets results be handed on between its tries: whoever waits for them would stand as long.
func TestTakingOverHoldsNoResultsBetweenItsTries(t *testing.T) {
	t.Parallel()
	store, err := raftstore.Open(t.Context(), raftstore.Config{Dir: t.TempDir(), MinFree: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil { // so that it cannot be read
		t.Fatal(err)
	}
	failed := heard{make(chan struct{}, 1000)}
	feed := state.NewFeed()
	d := &Dispatcher{feed: feed, raft: store, state: state.New(store, feed, time.Now), log: slog.New(slog.NewTextHandler(failed, nil))}
	l := &leader{d: d}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan bool)
	go func() { over <- l.takeOver(ctx) }()
	handed := make(chan struct{})
	go func() {
		defer close(handed)
		<-failed.lines
		_ = d.feed.Between(func() error { return nil })
	}()
	select {
	case <-handed:
	case <-time.After(2 * time.Minute):
		t.Error("no result can be handed on while the leader tries again")
	}
	cancel()
	if <-over {
		t.Error("a state that cannot be read was taken over")
	}
	<-handed
}

func TestMain(m *testing.M) { leaktest.Main(m) }
