package presence

import (
	"runtime"
	"slices"
	"time"
)

const (
	// loadTime is the time over which the load of other programs is averaged, so that the start of a program does not count as work.
	loadTime = 20 * time.Second
	// minLoadTime is the shortest time between two samples from which a load is calculated.
	minLoadTime = 100 * time.Millisecond
)

// census follows the processes of a machine from sample to sample: which of them are the agent's, and how much processor time the others
// take.
type census struct {
	self  int             // process id of the agent
	more  []int           // those of its runners in people's sessions
	at    time.Time       // of the last sample
	known map[int]Process // in the last sample, by process id
	load  float64         // of programs that are not the agent's, in percent of all processors

	expected []*expected
}

// expected are programs that the system starts on behalf of the agent, which are therefore not its children.
type expected struct {
	names []string
	since time.Time
}

// has reports whether a process is one of them.
func (e *expected) has(p Process) bool {
	return !p.Started.Before(e.since) && slices.ContainsFunc(e.names, func(name string) bool { return Named(p.Name, name) })
}

// same reports whether a and b are one process, and not two with the same process id one after the other.
func same(a, b Process) bool { return a.PID == b.PID && a.Started.Sub(b.Started).Abs() < 2*time.Second }

// sample takes in the processes that run at a moment. It sets Ours of those in list, and returns the load of the others in percent.
func (c *census) sample(now time.Time, list []Process) (load float64) {
	now = now.Round(0) // drop the monotonic clock, which stops while the machine sleeps: time asleep counts as time without load
	byID := make(map[int]int, len(list))
	for i, p := range list {
		byID[p.PID] = i
	}
	for i := range list {
		list[i].Ours = c.ours(list, byID, i)
	}
	known := make(map[int]Process, len(list))
	var others time.Duration
	for _, p := range list {
		known[p.PID] = p
		if p.Ours {
			continue
		}
		if before, there := c.known[p.PID]; there && same(before, p) {
			others += max(0, p.CPU-before.CPU)
		} else if !c.at.IsZero() && !p.Started.Before(c.at) {
			others += p.CPU
		}
	}
	passed := now.Sub(c.at)
	if !c.at.IsZero() && passed >= minLoadTime {
		taken := 100 * float64(others) / float64(passed) / float64(runtime.NumCPU())
		weight := min(1, float64(passed)/float64(loadTime))
		c.load += (min(100, taken) - c.load) * weight
	}
	c.at, c.known = now, known
	return c.load
}

// ours reports whether a process descends from the agent. When a parent has ended meanwhile, the result of an earlier sample counts.
func (c *census) ours(list []Process, byID map[int]int, i int) bool {
	p := list[i]
	for range len(list) { // as many steps as there are processes: process ids that were used again can form a cycle
		if p.PID == c.self || slices.Contains(c.more, p.PID) {
			return true
		}
		if before, there := c.known[p.PID]; there && same(before, p) && before.Ours {
			return true
		}
		if slices.ContainsFunc(c.expected, func(e *expected) bool { return e.has(p) }) {
			return true
		}
		parent, there := byID[p.Parent]
		if !there || list[parent].Started.After(p.Started.Add(time.Second)) {
			return false // the parent has ended, and its process id belongs to a later process
		}
		p = list[parent]
	}
	return false
}
