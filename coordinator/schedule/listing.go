package schedule

import (
	"slices"
	"time"
)

// look is an element of a group's heap from which a listing continues.
type look struct {
	entry
	group *group
	place int
}

func (a look) before(b look) bool { return a.entry.before(b.entry) }

func (look) lies(int) {}

// waiting iterates over the tasks of one lane, the most urgent first.
type waiting struct {
	team *team
	next heapOf[look]
}

func (l *lane) waiting() *waiting {
	w := &waiting{team: l.team}
	for _, b := range l.blocks {
		if b == nil {
			continue
		}
		for _, g := range b.groups {
			if g != nil && len(g.ready) > 0 && !g.held {
				w.next.push(look{g.ready[0], g, 0})
			}
		}
	}
	return w
}

func (w *waiting) take() *item {
	at := w.next.remove(0)
	for child := 2*at.place + 1; child <= 2*at.place+2 && child < len(at.group.ready); child++ {
		w.next.push(look{at.group.ready[child], at.group, child})
	}
	return at.it
}

// inOrder calls visit with the ready tasks, in the order in which machines that fit them all would get them, until visit returns false.
// The cost grows with the tasks visited and the number of groups, not with the number of tasks.
func (q *Queue) inOrder(now time.Time, visit func(it *item) bool) {
	r := q.begin(now)
	for _, l := range r.ranks {
		var teams []*waiting
		for _, t := range r.teams {
			if t.lanes[l].ready > 0 {
				teams = append(teams, t.lanes[l].waiting())
			}
		}
		for len(teams) > 0 {
			least := 0
			for i, w := range teams {
				if byShare(w.team, teams[least].team) < 0 {
					least = i
				}
			}
			w := teams[least]
			if !visit(w.take()) {
				return
			}
			w.team.share += w.team.ahead(q) / w.team.weight()
			if len(w.next) == 0 {
				teams = slices.Delete(teams, least, least+1)
			}
		}
	}
}

// MaxListed is how many places of the line can be listed.
const MaxListed = 10_000

// Listed is a task in line.
type Listed struct {
	Place int // 1 for the first
	Task  Task
	Since time.Time // earliest time at which it could have been assigned
}

// Line lists at most limit ready tasks in the order in which they would be assigned, starting behind the place after; more reports
// whether others follow. It ends at MaxListed. Tasks that wait for their NotBefore for their job's machines, or for a budget are not in it.
func (q *Queue) Line(now time.Time, after, limit int) (list []Listed, more bool) {
	place := 0
	q.inOrder(now, func(it *item) bool {
		place++
		switch {
		case place > MaxListed:
			return false
		case place <= after:
		case len(list) == limit:
			more = true
			return false
		default:
			list = append(list, Listed{Place: place, Task: it.task(), Since: timeAt(it.waits())})
		}
		return true
	})
	return list, more
}

// placesSeen is how many places of the line are searched for a task.
const placesSeen = 1000

// linePlace is a task's place in line, 0 for one that is not in line; least when it is only a lower bound.
type linePlace struct {
	place int
	least bool
}

// placesOf finds the places of tasks. The line is walked once for all of them.
func (q *Queue) placesOf(items []*item, now time.Time) map[*item]linePlace {
	places := make(map[*item]linePlace, len(items))
	for _, it := range items {
		if it != nil && it.at == inGroup && !it.group.held && !q.policy.Levels[it.group.lane.level.name()].Paused {
			places[it] = linePlace{}
		}
	}
	seen, left := 0, len(places)
	q.inOrder(now, func(other *item) bool {
		seen++
		if _, asked := places[other]; asked {
			places[other] = linePlace{place: seen}
			left--
		}
		return left > 0 && seen < placesSeen
	})
	for it, at := range places {
		if at.place == 0 {
			places[it] = linePlace{max(seen, q.aheadOf(it, now)) + 1, true}
		}
	}
	return places
}

// aheadOf counts the tasks of levels that are served before the item's.
func (q *Queue) aheadOf(it *item, now time.Time) int {
	n := 0
	for _, l := range q.begin(now).ranks {
		if l == it.group.lane.level {
			break
		}
		for _, t := range q.teamList {
			n += t.lanes[l].ready
		}
	}
	return n
}
