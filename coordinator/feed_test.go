package coordinator

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"overcrank/raftstore"
)

// Who waits for a result to be handed on goes with its caller, and nothing of it is left once the result has come.
func TestWaitingForAResultEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	f := newFeed()
	ctx, cancel := context.WithCancel(t.Context())
	back := make(chan struct{})
	go func() {
		f.await(ctx, 7)
		close(back)
	}()
	patient := make(chan struct{})
	go func() {
		f.await(context.Background(), 7)
		close(patient)
	}()
	waiting := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.waiters)
	}
	for waiting() < 2 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-back
	select {
	case <-patient:
		t.Error("another caller no longer waits")
	default:
	}
	f.push([]raftstore.Result{{Index: 7}})
	f.pull()
	f.passed(7)
	<-patient
	if n := waiting(); n != 0 {
		t.Errorf("%d still wait", n)
	}
}

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
	c := &Coordinator{feed: newFeed(), store: store, log: slog.New(slog.NewTextHandler(failed, nil))}
	l := &leader{c: c}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan bool)
	go func() { over <- l.takeOver(ctx) }()
	handed := make(chan struct{})
	go func() {
		defer close(handed)
		<-failed.lines
		c.feed.handing.Lock()
		defer c.feed.handing.Unlock()
	}()
	select {
	case <-handed:
	case <-time.After(30 * time.Second):
		t.Error("no result can be handed on while the leader tries again")
	}
	cancel()
	if <-over {
		t.Error("a state that cannot be read was taken over")
	}
	<-handed
}
