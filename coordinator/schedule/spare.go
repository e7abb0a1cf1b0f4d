package schedule

import "slices"

// Free is how many slots are free on the machines that can get work.
func (q *Queue) Free() int {
	n := 0
	for _, m := range q.free {
		n += m.free
	}
	return n
}

// Spare is how many more tasks with the needs of a granted one could begin now, as far as machines and limits are concerned.
func (q *Queue) Spare(g Grant) int {
	h, c := q.holdings[g.Task.ID], q.classes[string(q.keyOf(&g.Task))]
	if h == nil || c == nil {
		return 0
	}
	n := 0
	for _, m := range q.free {
		if c.row.has(m.profile.index) && h.team.admits(m, 0) && !slices.Contains(c.barred, m.id) && !slices.Contains(c.avoid, m.id) &&
			!slices.ContainsFunc(h.limits, func(l *limit) bool { return !l.admits(m, 0, 0) }) {
			n += m.free
		}
	}
	return n
}

// Fitting is how many connected machines fit a granted task, free or not.
func (q *Queue) Fitting(g Grant) int {
	c := q.classes[string(q.keyOf(&g.Task))]
	if c == nil {
		return 0
	}
	n := 0
	for _, p := range q.profiles {
		if c.row.has(p.index) {
			n += p.machines
		}
	}
	return n
}
