package schedule

import (
	"time"

	"overcrank/farm"
)

// Starts estimates when tasks will begin, by their jobs, as Explain does; those of which nobody can tell are left out. What tasks have in common is
// looked at once: the line, and for each kind of task the machines that fit.
func (q *Queue) Starts(tasks []Task, now time.Time) map[string]farm.Span {
	items := make([]*item, len(tasks))
	for i, t := range tasks {
		items[i] = q.items[t.ID]
	}
	places, kinds := q.placesOf(items, now), map[*class]*explanation{}
	starts := make(map[string]farm.Span, len(tasks))
	for i, t := range tasks {
		c := q.classOf(t)
		e := kinds[c]
		if e == nil {
			e = &explanation{q: q, c: c, now: now}
			e.fit()
			kinds[c] = e
		}
		e.t, e.it, e.team = t, items[i], q.teamOf(t.Team)
		if start := e.start(places[items[i]]); start != nil {
			starts[t.Job] = *start
		}
	}
	for c := range kinds {
		if c.tasks == 0 {
			q.leaveIdle(c)
		}
	}
	return starts
}
