package dispatch

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
)

// someHands are hands whose work the test waits for at its end.
func someHands(t *testing.T) *hands {
	var working sync.WaitGroup
	t.Cleanup(working.Wait)
	return newHands(newCrew(func() (done func()) {
		working.Add(1)
		return working.Done
	}))
}

// Leases that need the storage wait while it stalls, more of them than there are hands; the others go on, and all end in their time.
func TestLeasesWaitForNoneThatNeedTheStorage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 3 * handsAtOnce
		h := someHands(t)
		ended := make(chan error, many)
		stalling := func(within context.Context) {
			<-within.Done()
			ended <- within.Err()
		}
		for range many {
			h.take(t.Context(), true, stalling)
		}
		others := make(chan struct{})
		for range many {
			h.take(t.Context(), false, func(context.Context) { others <- struct{}{} })
			<-others
		}
		synctest.Wait()
		if len(ended) > 0 {
			t.Fatalf("the others came after %d that need the storage", len(ended))
		}
		for range many {
			<-ended
		}
	})
}

func TestNoLeaseIsPutTogetherAfterTheTerm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := someHands(t)
		term, end := context.WithCancel(t.Context())
		for range handsAtOnce {
			h.take(term, false, func(within context.Context) { <-within.Done() })
		}
		taken := make(chan bool)
		go func() { taken <- h.take(term, false, func(context.Context) { t.Error("one more was put together") }) }()
		synctest.Wait()
		end()
		if <-taken {
			t.Error("one more was taken")
		}
	})
}
