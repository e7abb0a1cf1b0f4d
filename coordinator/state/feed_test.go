package state

import (
	"context"
	"testing"
	"time"

	"overcrank/raftstore/command"
)

// Who waits for a result to be handed on goes with its caller, and nothing of it is left once the result has come.
func TestWaitingForAResultEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	f := NewFeed()
	ctx, cancel := context.WithCancel(t.Context())
	back := make(chan struct{})
	go func() {
		f.Await(ctx, 7)
		close(back)
	}()
	patient := make(chan struct{})
	go func() {
		f.Await(context.Background(), 7)
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
	f.Push([]command.Result{{Index: 7}})
	f.pull()
	f.passed(7)
	<-patient
	if n := waiting(); n != 0 {
		t.Errorf("%d still wait", n)
	}
}
