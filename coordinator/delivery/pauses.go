package delivery

import (
	"math/rand/v2"
	"time"

	"overcrank/farm"
)

// longestAfter is the longest pause behind so many tries, 0 before the first.
func longestAfter(tries int) time.Duration {
	if tries == 0 {
		return 0
	}
	return pauseAfter(tries-1) * 5 / 4
}

// pauseAfter is about how long is waited behind a failed try, when tries were made before it.
func pauseAfter(tries int) time.Duration {
	return time.Second << (2 * min(tries, farm.DeliveryRetries))
}

// retryAfter is the pause behind a failed try, when tries were made before it: about 1, 4 and 16 seconds. It varies by a
// quarter, so that receivers that failed together are not asked together again.
func retryAfter(tries int) time.Duration {
	pause := pauseAfter(tries)
	return pause*3/4 + rand.N(pause/2)
}
