package schedule

import (
	"cmp"
	"slices"
	"time"

	"overcrank/farm"
)

// Fits is what Explain says of a task, with the names of machines that may take it, most of them at most, by name.
func (q *Queue) Fits(t Task, now time.Time, most int) (placement farm.Placement, machines []farm.NearAgent) {
	placement = q.Explain(t, now)
	q.lookEach([]Task{t}, now, (*explanation).fit, func(_ int, e *explanation, _ linePlace) {
		for _, m := range e.fitting {
			machines = append(machines, farm.NearAgent{ID: m.id, Name: m.name})
		}
	})
	slices.SortFunc(machines, func(a, b farm.NearAgent) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return placement, machines[:min(len(machines), most)]
}
