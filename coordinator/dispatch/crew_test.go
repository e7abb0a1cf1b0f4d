package dispatch

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestACrewDoesAllThatItIsGiven gives work from many sides, some of which waits for other work: none may wait for a free goroutine.
func TestACrewDoesAllThatItIsGiven(t *testing.T) {
	var members sync.WaitGroup
	c := newCrew(func() func() { members.Add(1); return members.Done })
	var did atomic.Int64
	var givers sync.WaitGroup
	for range 8 {
		givers.Go(func() {
			for range 500 {
				later := make(chan struct{})
				if !c.carryOut(func() { <-later; did.Add(1) }) || !c.carryOut(func() { close(later); did.Add(1) }) {
					t.Error("work was refused")
				}
			}
		})
	}
	givers.Wait()
	members.Wait()
	if did.Load() != 8000 {
		t.Errorf("%d of 8000 pieces of work were done", did.Load())
	}
}

func TestACrewRefusesWorkWhenNothingMayBegin(t *testing.T) {
	c := newCrew(func() func() { return nil })
	if c.carryOut(func() { t.Error("it was done") }) {
		t.Error("work was taken")
	}
}
