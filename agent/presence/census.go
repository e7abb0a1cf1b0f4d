package presence

import (
	"runtime"
	"slices"
	"time"
)

const (
	// loadOver is the time over which the load of others is taken: a program that starts is not yet somebody's work.
	loadOver = 20 * time.Second
	// shortest is the least time between two looks that says something about load.
	shortest = 100 * time.Millisecond
)

// census follows the processes of a machine from look to look: which are ours, and how much the others take.
type census struct {
	self  int // process id of the agent
	at    time.Time
	known map[int]Process
	load  float64 // of others, percent of all processors

	expected []*expected
}

// expected are programs of ours that somebody else starts for us.
type expected struct {
	names []string
	since time.Time
}

// has tells whether a process is one of them.
func (e *expected) has(p Process) bool {
	return !p.Started.Before(e.since) && slices.ContainsFunc(e.names, func(name string) bool { return Named(p.Name, name) })
}

// same tells a process from a later one with the same number.
func same(a, b Process) bool { return a.PID == b.PID && a.Started.Sub(b.Started).Abs() < 2*time.Second }

// take takes a look in. It marks those of ours in list and returns the load of the others.
func (c *census) take(now time.Time, list []Process) (load float64) {
	now = now.Round(0) // a machine that slept has not worked meanwhile
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
	if !c.at.IsZero() && passed >= shortest {
		taken := 100 * float64(others) / float64(passed) / float64(runtime.NumCPU())
		weight := min(1, float64(passed)/float64(loadOver))
		c.load += (min(100, taken) - c.load) * weight
	}
	c.at, c.known = now, known
	return c.load
}

// ours tells whether a process descends from the agent. The parents may have ended since: then what was seen of it before counts.
func (c *census) ours(list []Process, byID map[int]int, i int) bool {
	p := list[i]
	for range len(list) { // parents of parents: a number that was given again may close a circle
		if p.PID == c.self {
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
			return false // its number belongs to a later process
		}
		p = list[parent]
	}
	return false
}
