package farmclient

import (
	"math/rand/v2"
	"time"
)

// Backoff gives the pauses between tries: random up to a bound that doubles, so that the agents of a farm that comes back
// do not all call at once.
type Backoff struct{ bound time.Duration }

const (
	firstPause = 250 * time.Millisecond
	maxPause   = 30 * time.Second
)

// Soon is the pause before another coordinator is tried: short, and random, so that the agents of a farm that has lost its leader do not
// all come to the others at once.
func Soon() time.Duration { return 20*time.Millisecond + rand.N(firstPause) }

// NewBackoff begins with the shortest pause.
func NewBackoff() *Backoff { return &Backoff{bound: firstPause} }

// Bound is the longest that the next pause may be.
func (b *Backoff) Bound() time.Duration { return b.bound }

// Next is how long to wait before the next try.
func (b *Backoff) Next() time.Duration {
	d := 50*time.Millisecond + rand.N(b.bound)
	b.bound = min(2*b.bound, maxPause)
	return d
}
