package schedule

import (
	"time"

	"overcrank/farm"
)

// Starts estimates when tasks will begin, by their jobs, as Explain does; those of which nobody can tell are left out. What tasks have in common is
// looked at once: the line, and for each kind of task the machines that fit.
func (q *Queue) Starts(tasks []Task, now time.Time) map[string]farm.Span {
	starts := make(map[string]farm.Span, len(tasks))
	q.lookEach(tasks, now, (*explanation).fit, func(_ int, e *explanation, at linePlace) {
		if start := e.start(at.place); start != nil {
			starts[e.t.Job] = *start
		}
	})
	return starts
}
