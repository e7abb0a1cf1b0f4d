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

// round is one call of Assign. Free slots, limits and shares only become fewer within it, so what has been found to be
// impossible stays so.
type round struct {
	now    time.Time
	at     int64
	number uint64
	ranks  []level // in the order in which they are served, without paused ones
	served [levels]bool
	teams  []*team // with something ready, the one that had the least of its share first
	may    set     // classes that perhaps can be served
	few    set     // room for those of a team that has all the machines it may have
}

// exactFree is up to how many free machines are looked at one by one to find what can be served. With more of them there is
// hardly a class that none of them takes.
const exactFree = 64

// Assign gives at most limit tasks to free machines, the most urgent first. Granted tasks leave the queue and take a slot.
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

// rank puts the levels in order: those outside their hours come when nothing else wants the machine.
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

// servable finds the classes that some free machine perhaps can serve.
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

// takes are the classes that fit a machine and are not kept off it by a limit on each machine. It is good until the next call.
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

// shut takes out the classes for which there is no licence left.
func (q *Queue) shut(r *round) {
	for _, l := range q.limitList {
		aside := 0
		if q.claim != nil && l.classes.has(q.claim.class.index) {
			aside = 1
		}
		if !l.full(aside) {
			continue
		}
		gone := append(set(nil), l.classes...)
		if l.policy.ByMachine && aside == 0 {
			for m := range l.machines {
				if m.free > 0 {
					gone.lessen(m.profile.fits)
				}
			}
		}
		r.may.lessen(gone)
	}
}

// next is the most urgent task that a free machine may have, with that machine.
func (q *Queue) next(r *round) (*item, *machine) {
	if it, m := q.nextOfClaim(r); it != nil {
		return it, m
	}
	for _, l := range r.ranks {
		if q.levelFull(l, q.asideOfLevel(l)) {
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
		aside := 0
		if q.claim != nil && q.claim.lane.team == l.team {
			aside = 1
		}
		if l.team.full(aside) {
			may = q.onOwn(l.team, aside, r)
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
		if len(g.class.avoid) > 0 { // which counts for a while only, so it may be different for another team's task
			r.few = append(r.few[:0], may...)
			may = r.few
		}
		may.remove(g.class.index)
	}
}

// onOwn are the classes that perhaps can be served by machines that work for a team already.
func (q *Queue) onOwn(t *team, aside int, r *round) set {
	r.few.clear()
	if aside == 0 {
		for m := range t.machines {
			if m.free > 0 {
				r.few.unite(q.takes(m))
			}
		}
	}
	r.few.meet(r.may)
	return r.few
}

// machineFor finds the machine for an item. One whose job has all the machines that it may have, and none of them free, is
// parked, so that it is in nobody's way.
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

// grant gives a task to a machine.
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

// Revoke undoes a grant that did not come to be. The task is not in the queue afterwards.
func (q *Queue) Revoke(g Grant) {
	if h := q.holdings[g.Task.ID]; h != nil && h.attempt == g.Task.Attempt {
		q.unhold(h)
	}
}
