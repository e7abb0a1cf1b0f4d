package schedule

import (
	"slices"

	"overcrank/farm"
)

// Use is what teams have of the farm now and what they wait for, by team, and who holds what is limited, by limit. Its cost grows with the
// teams, limits and tasks at work, not with the tasks that wait.
func (q *Queue) Use() farm.SharingNow {
	now := farm.SharingNow{Teams: map[string]farm.TeamUse{}, Limits: map[string]farm.LimitUse{}}
	for id, t := range q.teams {
		use := farm.TeamUse{Tasks: t.running, Machines: len(t.machines)}
		for l := range t.lanes {
			use.Waiting += t.lanes[l].ready
		}
		now.Teams[id] = use
	}
	for name, l := range q.limits {
		use := farm.LimitUse{Taken: l.taken()}
		for m := range l.machines {
			use.Machines = append(use.Machines, m.name)
		}
		slices.Sort(use.Machines)
		now.Limits[name] = use
	}
	return now
}
