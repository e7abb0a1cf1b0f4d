package schedule

import (
	"maps"
	"slices"
	"strings"

	"overcrank/farm"
)

// limit is a farm-wide limit, such as a number of licences, with the tasks that take it.
type limit struct {
	name     string
	policy   farm.LimitPolicy
	tasks    int
	machines map[*machine]int // how many tasks on each machine take it
	classes  set              // that require it
}

func (l *limit) taken() int {
	if l.policy.ByMachine {
		return len(l.machines)
	}
	return l.tasks
}

// full reports whether none is left for a machine that has none. withheld is how many the claim withholds.
func (l *limit) full(withheld int) bool { return l.taken() >= l.policy.Total-withheld }

// crowded reports whether a machine has as many tasks that take the limit as it may.
func (l *limit) crowded(m *machine, withheld int) bool {
	return l.policy.PerMachine > 0 && l.machines[m] >= max(l.policy.PerMachine-withheld, 0)
}

// shared reports whether another task on the machine would take no further one.
func (l *limit) shared(m *machine) bool { return l.policy.ByMachine && l.machines[m] > 0 }

// admits reports whether a task may take one on a machine. withheld and there are how many the claim withholds of all, and on the
// machine.
func (l *limit) admits(m *machine, withheld, there int) bool {
	return !l.crowded(m, there) && (!l.full(withheld) || withheld == 0 && l.shared(m))
}

func (l *limit) take(m *machine) {
	l.tasks++
	l.machines[m]++
}

func (l *limit) give(m *machine) {
	l.tasks--
	if l.machines[m]--; l.machines[m] == 0 {
		delete(l.machines, m)
	}
}

// SetPolicy replaces the farm's policy.
func (q *Queue) SetPolicy(p farm.Policy) {
	q.policy = p
	for _, t := range q.teamList {
		t.policy = p.Teams[t.id]
	}
	for _, m := range q.machines {
		q.applySlots(m)
	}
	q.recount()
	for _, j := range slices.Clone(q.parked) {
		q.unpark(j, len(j.parked))
	}
}

// applySlots gives a machine the slots that the policy allows now.
func (q *Queue) applySlots(m *machine) {
	slots := min(m.offers, q.policy.MostSlots())
	if m.profile == nil || m.slots == slots {
		return
	}
	connected := m.connected
	q.leave(m)
	m.slots = slots
	if connected {
		q.join(m)
	}
}

// recount rebuilds the limits from the policy.
func (q *Queue) recount() {
	clear(q.limits)
	q.limitList = q.limitList[:0]
	for _, name := range slices.Sorted(maps.Keys(q.policy.Limits)) {
		l := &limit{name: name, policy: q.policy.Limits[name], machines: map[*machine]int{}}
		q.limits[name] = l
		q.limitList = append(q.limitList, l)
	}
	for _, c := range q.byIndex {
		if c != nil {
			q.limit(c)
		}
	}
	for _, h := range q.holdings {
		h.limits = q.limitsOf(h.need)
		for _, l := range h.limits {
			l.take(h.machine)
		}
	}
}

// limit records which limits the tasks of a class take.
func (q *Queue) limit(c *class) {
	c.limits = q.limitsOf(c.need)
	for _, l := range c.limits {
		l.classes.add(c.index)
	}
}

// limitsOf returns the limits that a need names, and those of its effects when After Effects renders them. A name that the policy does
// not have limits nothing.
func (q *Queue) limitsOf(n Need) []*limit {
	var list []*limit
	drawn := n.Engine.adobe() && q.adobe > 0
	for _, l := range q.limitList {
		if slices.Contains(n.Limits, l.name) || drawn && slices.ContainsFunc(n.Effects, l.covers) {
			list = append(list, l)
		}
	}
	return list
}

// covers reports whether an effect is one of the limit's.
func (l *limit) covers(effect string) bool {
	return slices.ContainsFunc(l.policy.Effects, func(pattern string) bool {
		beginning, some := strings.CutSuffix(pattern, "*")
		return effect == pattern || some && strings.HasPrefix(effect, beginning)
	})
}

// room is how many tasks of a level may run at once: its share of the slots that can get work, at least one.
func (q *Queue) room(l level) int {
	share := q.policy.Levels[l.name()].MaxShare
	if share <= 0 || share >= 1 {
		return maxRoom
	}
	return max(int(share*float64(q.slots)+1e-9), 1)
}

const maxRoom = 1 << 30

func (q *Queue) levelFull(l level, withheld int) bool { return q.running[l] >= q.room(l)-withheld }
