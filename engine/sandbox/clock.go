package sandbox

import (
	"sync/atomic"
	"time"
)

// Clock counts the time that a script had a processor for. Limits are held to it and not to the wall's clock: the engine gives way to whatever else the
// machine does, and a render must not come out differently, or fail, because an artist's program kept it waiting. Read is for one goroutine at a time.
type Clock struct {
	// Together is how many goroutines of this process may be working at once, since only the processor time of all of them is known; 0 counts as one.
	// While fewer work the clock is slow, by as much at most.
	Together int

	wall    time.Time     // when it was resumed
	used    time.Duration // by this process until then
	before  time.Duration // counted until then
	counted atomic.Int64  // nanoseconds
}

// Resume goes on counting from now.
func (c *Clock) Resume() { c.wall, c.used, c.before = time.Now(), processorTime(), c.Counted() }

// Read returns all that was counted until now.
func (c *Clock) Read() time.Duration {
	used := (processorTime() - c.used) / time.Duration(max(1, c.Together))
	// Systems count processors' time in steps of some milliseconds, so the two are compared since Resume and not from Read to Read.
	c.counted.Store(int64(c.before + min(time.Since(c.wall), used)))
	return c.Counted()
}

// Counted is what the last Read returned. Any goroutine may ask for it, and it costs nothing.
func (c *Clock) Counted() time.Duration { return time.Duration(c.counted.Load()) }
