// Package throttle bounds how often each of many callers may do something, and how much they may follow live.
package throttle

import (
	"math"
	"strconv"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Limit is how often a caller may do something. The zero Limit is none.
type Limit struct {
	PerSecond float64 // in the long run
	Burst     int     // at once, after a rest; 0 means two seconds' worth
}

func (l Limit) burst() int {
	if l.Burst > 0 {
		return l.Burst
	}
	return max(1, int(math.Ceil(2*l.PerSecond)))
}

// mostCallers is how many callers are remembered. The one that has been away longest is forgotten, which gives it its
// burst back.
const mostCallers = 4096

// Throttle holds every caller to one Limit. It may be used by many goroutines at once. A nil Throttle lets everything pass.
type Throttle struct {
	limit   Limit
	callers *lru.Cache[string, *caller]
}

// caller is one whom the limit holds for.
type caller struct {
	mu      sync.Mutex
	limiter *rate.Limiter
	latest  time.Time
}

// New makes a Throttle, nil when there is no limit.
func New(limit Limit) *Throttle {
	if limit.PerSecond <= 0 {
		return nil
	}
	callers, err := lru.New[string, *caller](mostCallers)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return &Throttle{limit: limit, callers: callers}
}

// Take is 0 when the caller may go on at now, else how long it has to wait first; waiting then counts for nothing.
func (t *Throttle) Take(name string, now time.Time) time.Duration {
	if t == nil {
		return 0
	}
	c, known := t.callers.Get(name)
	if !known {
		c = &caller{limiter: rate.NewLimiter(rate.Limit(t.limit.PerSecond), t.limit.burst())}
		if earlier, there, _ := t.callers.PeekOrAdd(name, c); there {
			c = earlier
		}
	}
	return c.take(now)
}

func (c *caller) take(now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Requests at the same time may come here in another order than they looked at the clock. A limiter whose time goes back counts what
	// lies between twice.
	if now.Before(c.latest) {
		now = c.latest
	}
	c.latest = now
	turn := c.limiter.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait > 0 {
		turn.CancelAt(now)
	}
	return wait
}

// RetryAfter is a wait as the HTTP header of that name has it: in whole seconds, one at least.
func RetryAfter(wait time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(wait.Seconds()))))
}
