package state

import (
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
)

// TestIDsShareNoRandomnessWithOthers makes ids while others make theirs with the library's own source, as names of requests are made.
// The race detector tells.
func TestIDsShareNoRandomnessWithOthers(t *testing.T) {
	var at int64
	made := newIDs(func() time.Time { at++; return time.UnixMilli(at) }) // each time another, for which randomness is read anew
	var others sync.WaitGroup
	others.Go(func() {
		for i := range uint64(20_000) {
			ulid.MustNew(i, ulid.DefaultEntropy())
		}
	})
	last := ""
	for range 20_000 {
		id, err := made.next()
		if err != nil {
			t.Fatal(err)
		}
		if id <= last {
			t.Fatalf("%s comes after %s", id, last)
		}
		last = id
	}
	others.Wait()
}
