package state

import (
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// ids makes ids that sort by the order in which they were made, also when the clock is set back.
type ids struct {
	mu      sync.Mutex
	now     func() time.Time
	latest  uint64 // milliseconds of the last id
	entropy *ulid.MonotonicEntropy
}

func newIDs(now func() time.Time) *ids {
	return &ids{now: now, entropy: ulid.Monotonic(rand.Reader, 0)} // the library's own source must not be read beside its lock
}

func (g *ids) next() (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.latest = max(g.latest, ulid.Timestamp(g.now()))
	id, err := ulid.New(g.latest, g.entropy)
	if err != nil {
		return "", fmt.Errorf("making an id: %w", err)
	}
	return id.String(), nil
}
