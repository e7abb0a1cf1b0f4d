package agent

import (
	"math/rand/v2"
	"time"
)

// backoff gives the pauses between tries: random up to a bound that doubles, so that the agents of a farm that comes back
// do not all call at once.
type backoff struct{ bound time.Duration }

const (
	firstPause = 250 * time.Millisecond
	maxPause   = 30 * time.Second
)

// soon is the pause before another coordinator is tried: short, and random, so that the agents of a farm that has lost its leader do not
// all come to the others at once.
func soon() time.Duration { return 20*time.Millisecond + rand.N(firstPause) }

func newBackoff() *backoff { return &backoff{bound: firstPause} }

func (b *backoff) next() time.Duration {
	d := 50*time.Millisecond + rand.N(b.bound)
	b.bound = min(2*b.bound, maxPause)
	return d
}
