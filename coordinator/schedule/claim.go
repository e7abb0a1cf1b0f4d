package schedule

import "time"

// Order alone lets tasks starve: those of a low level behind a stream of higher ones, and those that need several things which are never
// free at the same moment, such as two limits, or a limit and a certain machine. So all groups form a line by when they were last served.
// From time to time the first may make a claim: its most urgent task has precedence on every machine that fits it, and one of everything
// counted that it needs (limits, shares of teams and levels) is withheld from others, until it runs. There is one claim at a time, so
// claims do not block each other.

const (
	// Patience is how long a group waits before it may make a claim.
	Patience = 3 * time.Hour
	// ClaimsEvery is the least time between the end of a claim and the next one.
	ClaimsEvery = 5 * time.Minute
	// claimsSeen is how many groups are considered for a claim in one round. Those that nothing could serve go to the end of the line.
	claimsSeen = 16
)

// line lists groups by since, the longest waiting first.
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

// elect lets the longest waiting group make a claim, if one is due.
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
	for range claimsSeen {
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

// claimable reports whether a group only has to wait for things to become free: its level is served, its limits exist, and some machine
// that can get work fits its most urgent task.
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

// withheld is how many of something the claim withholds from the tasks of a group; claims reports whether the claim needs it.
func (q *Queue) withheld(g *group, claims func(*group) bool) int {
	if q.claim != nil && q.claim != g && claims(q.claim) {
		return 1
	}
	return 0
}

func (q *Queue) withheldOfTeam(g *group) int {
	return q.withheld(g, func(c *group) bool { return c.lane.team == g.lane.team })
}

func (q *Queue) withheldOfLevel(l level) int {
	if q.claim != nil && q.claim.lane.level == l {
		return 1
	}
	return 0
}

func (q *Queue) withheldOfLimit(g *group, l *limit) int {
	return q.withheld(g, func(c *group) bool { return l.classes.has(c.class.index) })
}

// withheldOnMachine is how many places of a limit the claim withholds on each machine. Only a claim that takes two such places needs
// that: a single place becomes free together with a slot.
func (q *Queue) withheldOnMachine(g *group, l *limit) int {
	return q.withheld(g, func(c *group) bool {
		places := 0
		for _, other := range c.class.limits {
			if other.policy.PerMachine > 0 {
				places++
			}
		}
		return places > 1 && l.classes.has(c.class.index)
	})
}
