package schedule

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// AvoidFor is how long a task waits for a machine that did not fail it, while such machines are busy. After that, or when there is none,
// the machines that failed it may try again, but never the barred ones.
const AvoidFor = 5 * time.Minute

// How many machines are considered for a task.
const (
	profilesSeen = 12
	idleSeen     = 3 // of one profile
	cachingSeen  = 48
)

// choice is the best machine for an item among those considered.
type choice struct {
	q  *Queue
	it *item
	r  *round
	m  *machine
}

func (c *choice) consider(m *machine) {
	if c.q.admits(c.it, m, c.r.at) && (c.m == nil || c.q.prefer(c.it, m, c.m) < 0) {
		c.m = m
	}
}

// pick chooses a free machine for an item. It considers machines that know the item's work and some of every profile, so that the cost
// does not grow with the number of machines. Only if none of them can take it, all others are asked.
func (q *Queue) pick(it *item, r *round) *machine {
	c, row := choice{q: q, it: it, r: r}, it.group.class.row
	for _, m := range it.work.warm {
		c.consider(m)
	}
	if f := it.work.file; f != nil {
		for _, m := range f.machines[:min(len(f.machines), cachingSeen)] {
			c.consider(m)
		}
	}
	for _, roomy := range []set{q.roomyPlain, q.roomyAdobe} {
		seen := 0
		eachShared(roomy, row, func(i int) bool {
			idle := q.profileAt[i].idle
			for _, m := range idle[:min(len(idle), idleSeen)] {
				c.consider(m)
			}
			seen++
			return seen < profilesSeen
		})
	}
	if c.m != nil {
		return c.m
	}
	for _, roomy := range []set{q.roomyPlain, q.roomyAdobe} {
		eachShared(roomy, row, func(i int) bool {
			for _, m := range q.profileAt[i].idle {
				c.consider(m)
			}
			return true
		})
	}
	return c.m
}

// eachShared calls visit with the members of both sets until visit returns false.
func eachShared(a, b set, visit func(i int) bool) {
	for w := range min(len(a), len(b)) {
		if word := a[w] & b[w]; word != 0 && !(set{word}).each(func(i int) bool { return visit(w<<6 + i) }) {
			return
		}
	}
}

// admits reports whether a machine may have a task now.
func (q *Queue) admits(it *item, m *machine, now int64) bool {
	g := it.group
	if m.free == 0 || !g.class.row.has(m.profile.index) || !q.allowed(it, m, now) || !g.lane.team.admits(m, q.withheldOfTeam(g)) {
		return false
	}
	for _, l := range g.class.limits {
		if !l.admits(m, q.withheldOfLimit(g, l), q.withheldOnMachine(g, l)) {
			return false
		}
	}
	limit := q.maxMachines(it)
	return limit <= 0 || q.jobs[it.jobID()].admits(m, limit)
}

// allowed reports whether a task's earlier failures let a machine have it.
func (q *Queue) allowed(it *item, m *machine, now int64) bool {
	c := it.group.class
	if len(c.barred) > 0 && slices.Contains(c.barred, m.id) {
		return false
	}
	if len(c.avoid) == 0 || !slices.Contains(c.avoid, m.id) {
		return true
	}
	return now-it.waits() >= int64(AvoidFor) || !q.othersFit(c)
}

// othersFit reports whether a machine that can get work fits a class and did not fail it.
func (q *Queue) othersFit(c *class) bool {
	n := 0
	c.row.each(func(i int) bool {
		n += q.profileAt[i].able
		return true
	})
	for id := range eachOnce(c.avoid, c.barred) {
		if m := q.machines[id]; m != nil && m.able() && c.row.has(m.profile.index) {
			n--
		}
	}
	return n > 0
}

// eachOnce iterates over the names of both lists without repeating any.
func eachOnce(a, b []string) func(func(string) bool) {
	return func(visit func(string) bool) {
		for i, name := range a {
			if !slices.Contains(a[:i], name) && !visit(name) {
				return
			}
		}
		for i, name := range b {
			if !slices.Contains(a, name) && !slices.Contains(b[:i], name) && !visit(name) {
				return
			}
		}
	}
}

// someAllowed reports whether a profile has a machine that can get work and is not barred from a class.
func (q *Queue) someAllowed(c *class, p *profile) bool {
	n := p.able
	for i, id := range c.barred {
		if m := q.machines[id]; m != nil && m.able() && m.profile == p && !slices.Contains(c.barred[:i], id) {
			n--
		}
	}
	return n > 0
}

// prefer orders machines for a task: not one with After Effects unless it is needed; one that has the project's file; a fast one; the one
// that did the same work last; the one with fewer engines, and with more free slots.
func (q *Queue) prefer(it *item, a, b *machine) int {
	return cmp.Or(
		cmp.Compare(it.wastes(a), it.wastes(b)),
		cmp.Compare(it.fetches(a), it.fetches(b)),
		cmp.Compare(q.slowness(it, a), q.slowness(it, b)),
		cmp.Compare(it.changes(a), it.changes(b)),
		cmp.Compare(len(a.profile.engines), len(b.profile.engines)),
		cmp.Compare(b.free, a.free),
		cmp.Compare(a.id, b.id))
}

func (it *item) wastes(m *machine) int {
	return oneIf(!it.group.class.need.Engine.adobe() && len(m.profile.engines) > 0)
}

func (it *item) fetches(m *machine) int { return oneIf(!m.hasFile(it.work)) }

func (it *item) changes(m *machine) int { return oneIf(m.lastWork != it.work) }

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// slowness is how slow a machine is at some work, in steps of a fifth. Machines that never did it come last.
func (q *Queue) slowness(it *item, m *machine) int {
	if it.work.Name == "" {
		return 0
	}
	seconds := q.speed(it.work.Name, m.id)
	if seconds <= 0 {
		return math.MaxInt32
	}
	return int(math.Round(math.Log(seconds) / math.Log(1.2)))
}
