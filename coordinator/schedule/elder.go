package schedule

import "time"

// Order alone lets tasks starve: those of a low level behind a stream of higher ones, and those that need several things which
// are never free in the same moment, such as two licences and one certain machine. So all groups stand in a line by when they were
// served last. From time to time the one at its front may make a claim: its most urgent task goes before everything else on
// every machine that it fits, and of all that is counted (limits, the shares of teams and levels) one is kept for it, until
// it has run. There is one claim at a time, so claims do not wait for each other.

const (
	// Patience is how long a group waits until it may make a claim.
	Patience = 3 * time.Hour
	// ClaimsEvery is how long it takes at least from one claim's end to the next claim.
	ClaimsEvery = 5 * time.Minute
	// eldersSeen is how many groups are looked at for a claim at once. Those that nothing could serve go to the end of the line.
	eldersSeen = 16
)

// line is groups by since, the longest waiting first.
type line struct{ first, last *group }

func (l *line) append(g *group, since int64) {
	g.since, g.prev, g.next = since, l.last, nil
	if l.last != nil {
		l.last.next = g
	} else {
		l.first = g
	}
	l.last = g
}

func (l *line) remove(g *group) {
	if g.prev != nil {
		g.prev.next = g.next
	} else {
		l.first = g.next
	}
	if g.next != nil {
		g.next.prev = g.prev
	} else {
		l.last = g.prev
	}
	g.prev, g.next = nil, nil
}

// elect lets the group that has waited for longest make a claim, if it is time for one.
func (q *Queue) elect(r *round) {
	now := r.at
	if q.claim != nil {
		if len(q.claim.ready) > 0 && q.claimable(q.claim, r) {
			return
		}
		q.claim = nil
	}
	if q.claimed != 0 && now-q.claimed < int64(ClaimsEvery) {
		return
	}
	for range eldersSeen {
		g := q.line.first
		if g == nil || now-g.since < int64(Patience) {
			return
		}
		q.line.remove(g)
		q.line.append(g, now)
		if q.claimable(g, r) {
			q.claim, q.claimed = g, now
			return
		}
	}
}

// claimable tells whether nothing but time stands between a group and a machine: its level is served, and some machine that
// gets work has what its most urgent task needs.
func (q *Queue) claimable(g *group, r *round) bool {
	if len(g.ready) == 0 || !r.served[g.lane.level] {
		return false
	}
	for _, l := range g.class.limits {
		if l.policy.Total < 1 {
			return false
		}
	}
	return !g.class.row.each(func(i int) bool {
		p := q.profileAt[i]
		return p.able == 0 || !q.someAllowed(g.class, p)
	})
}

// aside is how many of something the claim keeps from a task of a group.
func (q *Queue) aside(g *group, claims func(*group) bool) int {
	if q.claim != nil && q.claim != g && claims(q.claim) {
		return 1
	}
	return 0
}

func (q *Queue) asideOfTeam(g *group) int {
	return q.aside(g, func(c *group) bool { return c.lane.team == g.lane.team })
}

func (q *Queue) asideOfLevel(l level) int {
	if q.claim != nil && q.claim.lane.level == l {
		return 1
	}
	return 0
}

func (q *Queue) asideOfLimit(g *group, l *limit) int {
	return q.aside(g, func(c *group) bool { return l.classes.has(c.class.index) })
}

// asideOnMachine is how many places of a limit the claim keeps on each machine. It needs to only for tasks that take two such
// places: one place becomes free together with a slot.
func (q *Queue) asideOnMachine(g *group, l *limit) int {
	return q.aside(g, func(c *group) bool {
		places := 0
		for _, other := range c.class.limits {
			if other.policy.PerMachine > 0 {
				places++
			}
		}
		return places > 1 && l.classes.has(c.class.index)
	})
}
