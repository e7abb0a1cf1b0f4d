package schedule

import (
	"cmp"
	"slices"
	"time"

	"overcrank/farm"
)

// Grant is one decision of the queue.
type Grant struct {
	Task    Task
	Machine string
}

// round is one call of Assign. Free slots, limits and shares only shrink during a round, so what was impossible once stays impossible.
type round struct {
	now    time.Time
	at     int64
	number uint64
	ranks  []level // in the order in which they are served, without paused ones
	served [levels]bool
	teams  []*team // with ready tasks, the least served by its share first
	may    set     // classes that may find a machine
	few    set     // reused for the classes of a team at its maximum of machines
}

// exactFree is the number of free machines up to which each is examined to find the classes that can be served. With more, hardly any
// class finds none.
const exactFree = 64

// Assign assigns at most limit tasks to free machines, the most urgent first. Assigned tasks leave the queue and hold a slot.
func (q *Queue) Assign(now time.Time, limit int) []Grant {
	q.latest = max(q.latest, now.UnixNano())
	q.arrive(now.UnixNano())
	if q.policy.Paused || len(q.free) == 0 || len(q.items) == 0 {
		return nil
	}
	q.lookAtParked()
	r := q.begin(now)
	q.elect(r)
	q.servable(r)
	var grants []Grant
	for len(grants) < limit && len(q.free) > 0 {
		it, m := q.next(r)
		if it == nil {
			break
		}
		grants = append(grants, q.grant(it, m, r))
	}
	return grants
}

func (q *Queue) begin(now time.Time) *round {
	q.rounds++
	r := &q.scratch
	*r = round{now: now, at: now.UnixNano(), number: q.rounds, ranks: r.ranks[:0], teams: r.teams[:0], may: r.may, few: r.few}
	q.rank(r)
	for _, t := range q.teamList {
		if t.lanes[rush].ready+t.lanes[normal].ready+t.lanes[overnight].ready > 0 {
			t.weigh(q, r.at)
			r.teams = append(r.teams, t)
		}
	}
	slices.SortFunc(r.teams, byShare)
	return r
}

func byShare(a, b *team) int { return cmp.Or(cmp.Compare(a.share, b.share), cmp.Compare(a.id, b.id)) }

// rank orders the levels: those outside their hours come last.
func (q *Queue) rank(r *round) {
	for _, inHours := range []bool{true, false} {
		for l := range level(levels) {
			p := q.policy.Levels[l.name()]
			if !p.Paused && farm.Within(p.Hours, r.now) == inHours {
				r.ranks = append(r.ranks, l)
				r.served[l] = inHours
			}
		}
	}
}

// servable finds the classes that some free machine may serve.
func (q *Queue) servable(r *round) {
	r.may.clear()
	if len(q.free) <= exactFree {
		for _, m := range q.free {
			r.may.unite(q.takes(m))
		}
	} else {
		for _, roomy := range []set{q.roomyPlain, q.roomyAdobe} {
			roomy.each(func(i int) bool {
				r.may.unite(q.profileAt[i].fits)
				return true
			})
		}
	}
	q.shut(r)
}

// takes returns the classes that fit a machine and are not kept from it by a limit per machine. The set is valid until the next call.
func (q *Queue) takes(m *machine) set {
	takes := append(q.taken[:0], m.profile.fits...)
	q.taken = takes
	for _, l := range q.limitList {
		if l.crowded(m, 0) {
			takes.lessen(l.classes)
		}
	}
	return takes
}

// shut removes the classes for which a limit is reached.
func (q *Queue) shut(r *round) {
	for _, l := range q.limitList {
		withheld := 0
		if q.claim != nil && l.classes.has(q.claim.class.index) {
			withheld = 1
		}
		if !l.full(withheld) {
			continue
		}
		gone := append(set(nil), l.classes...)
		if l.policy.ByMachine && withheld == 0 {
			for m := range l.machines {
				if m.free > 0 {
					gone.lessen(m.profile.fits)
				}
			}
		}
		r.may.lessen(gone)
	}
}

// next returns the most urgent task that a free machine may have, and that machine.
func (q *Queue) next(r *round) (*item, *machine) {
	if it, m := q.nextOfClaim(r); it != nil {
		return it, m
	}
	for _, l := range r.ranks {
		if q.levelFull(l, q.withheldOfLevel(l)) {
			continue
		}
		for _, t := range r.teams {
			lane := &t.lanes[l]
			if lane.ready == 0 || lane.barren == r.number {
				continue
			}
			if it, m := q.nextOf(lane, r); it != nil {
				return it, m
			}
			lane.barren = r.number
		}
	}
	return nil, nil
}

func (q *Queue) nextOfClaim(r *round) (*item, *machine) {
	for q.claim != nil && len(q.claim.ready) > 0 && !q.levelFull(q.claim.lane.level, 0) {
		it := q.claim.ready[0].it
		m, parked := q.machineFor(it, r)
		if !parked {
			return it.with(m)
		}
	}
	return nil, nil
}

func (it *item) with(m *machine) (*item, *machine) {
	if m == nil {
		return nil, nil
	}
	return it, m
}

func (q *Queue) nextOf(l *lane, r *round) (*item, *machine) {
	may := r.may
	if l.team.policy.MaxMachines > 0 {
		withheld := 0
		if q.claim != nil && q.claim.lane.team == l.team {
			withheld = 1
		}
		if l.team.full(withheld) {
			may = q.onOwn(l.team, withheld, r)
		}
	}
	for {
		g := l.best(may)
		if g == nil {
			return nil, nil
		}
		it := g.ready[0].it
		m, parked := q.machineFor(it, r)
		if m != nil {
			return it, m
		}
		if parked {
			continue
		}
		if len(g.class.avoid) > 0 { // avoiding ends after a while, so the class may still be served for another team's task
			r.few = append(r.few[:0], may...)
			may = r.few
		}
		may.remove(g.class.index)
	}
}

// onOwn returns the classes that may be served by machines that already work for a team.
func (q *Queue) onOwn(t *team, withheld int, r *round) set {
	r.few.clear()
	if withheld == 0 {
		for m := range t.machines {
			if m.free > 0 {
				r.few.unite(q.takes(m))
			}
		}
	}
	r.few.meet(r.may)
	return r.few
}

// machineFor finds a machine for an item. It parks an item whose job has all the machines that it may have while none of them is free, so
// that it blocks no other.
func (q *Queue) machineFor(it *item, r *round) (m *machine, parked bool) {
	j := q.jobs[it.jobID()]
	limit := q.maxMachines(it)
	if j == nil || limit <= 0 || len(j.machines) < limit {
		return q.pick(it, r), false
	}
	best := choice{q: q, it: it, r: r}
	for m := range j.machines {
		best.consider(m)
	}
	if best.m == nil {
		q.park(it, j)
	}
	return best.m, best.m == nil
}

// grant assigns a task to a machine.
func (q *Queue) grant(it *item, m *machine, r *round) Grant {
	t, g := it.task(), it.group
	h := &holding{
		task: t.ID, attempt: t.Attempt, machine: m, team: g.lane.team, level: g.lane.level, need: g.class.need,
		limits: g.class.limits, work: it.work, since: r.at,
	}
	h.work.known++
	q.fromGroup(it)
	if len(g.ready) > 0 {
		q.line.remove(g)
		q.line.append(g, r.at)
	}
	if q.claim == g {
		q.claim, q.claimed = nil, r.at
	}
	q.dropItem(it)
	q.hold(h, t.Job)
	if len(h.limits) > 0 {
		q.shut(r)
	}
	h.team.share += h.team.ahead(q) / h.team.weight()
	for i := slices.Index(r.teams, h.team); i+1 < len(r.teams) && byShare(r.teams[i], r.teams[i+1]) > 0; i++ {
		r.teams[i], r.teams[i+1] = r.teams[i+1], r.teams[i]
	}
	return Grant{Task: t, Machine: m.id}
}

// Revoke undoes a grant that was not carried out. The task is not put back into the queue.
func (q *Queue) Revoke(g Grant) {
	if h := q.holdings[g.Task.ID]; h != nil && h.attempt == g.Task.Attempt {
		q.unhold(h)
	}
}
