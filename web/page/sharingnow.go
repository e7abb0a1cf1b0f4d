package page

import (
	"context"
	"maps"
	"slices"
	"strings"

	"overcrank/farm"
)

// SharingNow is how the farm's machines are shared at the moment, beside what the policy gives.
type SharingNow struct {
	Teams  []TeamNow
	Limits []LimitNow
}

// TeamNow is a team's share.
type TeamNow struct {
	farm.TeamUse
	Name string
	Due  float64 // percent of the farm by its weight, among the teams that have or want something
	Has  float64 // percent of the tasks at work
	Most int     // machines at once; 0 for any number
}

// LimitNow is how much of a limit is taken.
type LimitNow struct {
	farm.LimitUse
	Name  string
	Total int
}

// ShareNow puts what teams have beside what their weights give them. Teams of which nothing is told are left out.
func ShareNow(now farm.SharingNow, p farm.Policy, teams []farm.Team) (v SharingNow) {
	tasks, weights := 0, 0.0
	weight := func(id string) float64 {
		if w := p.Teams[id].Weight; w > 0 {
			return w
		}
		return 1
	}
	wants := func(u farm.TeamUse) bool { return u.Tasks+u.Waiting > 0 }
	for id, use := range now.Teams {
		tasks += use.Tasks
		if wants(use) {
			weights += weight(id)
		}
	}
	for _, t := range teams {
		use, told := now.Teams[t.ID]
		if !told {
			continue
		}
		row := TeamNow{TeamUse: use, Name: t.Name, Most: p.Teams[t.ID].MaxMachines}
		if wants(use) {
			row.Due = 100 * weight(t.ID) / weights
		}
		if tasks > 0 {
			row.Has = 100 * float64(use.Tasks) / float64(tasks)
		}
		v.Teams = append(v.Teams, row)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Limits)) {
		v.Limits = append(v.Limits, LimitNow{LimitUse: now.Limits[name], Name: name, Total: p.Limits[name].Total})
	}
	return v
}

// hasWords say what a team has.
func (t TeamNow) hasWords(ctx context.Context) string {
	on := many(ctx, t.Machines, "%d machine", "%d machines")
	if t.Most > 0 {
		on = many(ctx, t.Machines, "%d machine of at most %d", "%d machines of at most %d", t.Most)
	}
	return many(ctx, t.Tasks, "%d task on %s", "%d tasks on %s", on)
}

// dueWords say what a team's weight gives it.
func (t TeamNow) dueWords(ctx context.Context) string {
	if t.Due == 0 {
		return say(ctx, "nothing asked for")
	}
	return percentWords(ctx, t.Due)
}

// full is how much of the limit is taken, in percent.
func (l LimitNow) full() float64 {
	return min(100*float64(l.Taken)/float64(max(l.Total, 1)), 100)
}

// holders are the machines that hold it.
func (l LimitNow) holders() string { return strings.Join(l.Machines, ", ") }
