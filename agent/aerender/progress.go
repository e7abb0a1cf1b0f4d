package aerender

import "math"

// Progress tells how far a run is. It never falls.
type Progress struct {
	Done    int     // distinct frames finished
	Total   int     // frames of the range, 0 while unknown
	Frame   int     // composition frame finished last, 0-based
	Percent float64 // 0..100
}

// maxFrames bounds the frames that are told apart: nine hours at 30 frames per second.
const maxFrames = 1 << 20

// counter follows the frames of a run. Engines that render several frames at once tell them out of order and more than
// once, so distinct ones are counted.
type counter struct {
	first    int // composition frame that the range starts at
	rate     float64
	start    clock
	duration clock
	total    int
	seen     map[string]struct{}
	now      Progress
}

// newCounter counts a range that starts at first, -1 for where the engine says, of total frames, 0 for as many as it says.
func newCounter(first, total int) *counter {
	return &counter{first: first, total: total, seen: make(map[string]struct{})}
}

// add takes an event in and tells whether the progress has changed.
func (c *counter) add(e event) bool {
	switch e.kind {
	case kindRate:
		c.rate = e.rate
	case kindStart:
		c.start = e.time
	case kindDuration:
		c.duration = e.time
	case kindFrame:
		return c.frame(e)
	case kindFinished:
		return c.raise(100)
	}
	return false
}

func (c *counter) frame(e event) bool {
	if _, again := c.seen[e.clock]; again || len(c.seen) >= maxFrames {
		return false
	}
	c.seen[e.clock] = struct{}{}
	c.now.Done = len(c.seen)
	c.now.Total = c.expected()
	c.now.Frame = max(0, c.begin()+e.number-1)
	if c.now.Total > 0 {
		c.raise(100 * float64(c.now.Done) / float64(c.now.Total))
	}
	return true
}

// begin is the composition frame that the range starts at.
func (c *counter) begin() int {
	if c.first >= 0 {
		return c.first
	}
	n, _ := c.start.frames(c.rate)
	return n
}

func (c *counter) raise(percent float64) bool {
	percent = math.Min(percent, 100)
	if percent <= c.now.Percent {
		return false
	}
	c.now.Percent = percent
	return true
}

// expected is how many frames the engine said it renders, or else what the caller thought.
func (c *counter) expected() int {
	if n, ok := c.duration.frames(c.rate); ok && n > 0 {
		return n
	}
	return c.total
}
