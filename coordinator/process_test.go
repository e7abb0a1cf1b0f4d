package coordinator

import (
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
	"time"
)

func TestWaitingIsSampledForItsProfiles(t *testing.T) {
	SampleProcess()
	t.Cleanup(func() {
		runtime.SetMutexProfileFraction(0)
		runtime.SetBlockProfileRate(0)
	})
	if fraction := runtime.SetMutexProfileFraction(-1); fraction <= 0 {
		t.Errorf("one of %d waits for locks is kept", fraction)
	}
	// One second of waiting gives one sample, as chance has it.
	before := pprof.Lookup("block").Count()
	for end := time.Now().Add(time.Minute); pprof.Lookup("block").Count() == before; {
		if time.Now().After(end) {
			t.Fatal("nobody was seen to wait")
		}
		var waiting sync.WaitGroup
		open := make(chan struct{})
		for range 200 {
			waiting.Go(func() { <-open })
		}
		time.Sleep(5 * time.Millisecond)
		close(open)
		waiting.Wait()
	}
}
