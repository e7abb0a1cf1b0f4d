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
	// Asked says that it is also what a form would come to that is not saved, and Unread that the form cannot be read.
	Asked, Unread bool
}

// TeamNow is a team's share.
type TeamNow struct {
	farm.TeamUse
	Name string
	Due  float64  // percent of the farm by its weight, among the teams that have or want something
	Has  float64  // percent of the tasks at work
	Most int      // machines at once; 0 for any number
	Then *TeamNow // by a policy that is not saved, nil where that changes nothing for the team
}

// LimitNow is how much of a limit is taken.
type LimitNow struct {
	farm.LimitUse
	Name  string
	Total int
	Then  *int // the total by a policy that is not saved, 0 where the limit goes; nil where it stays as it is
}

// ShareNow puts what teams have beside what their weights give them. Teams of which nothing is told are left out.
func ShareNow(now farm.SharingNow, p farm.Policy, teams []farm.Team) (v SharingNow) {
	tasks, weights := 0, 0.0
	weight := func(id string) float64 { return p.Teams[id].Share() }
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

// SharesThen puts what another policy would give beside what the one in force does.
func SharesThen(now farm.SharingNow, inForce, then farm.Policy, teams []farm.Team) SharingNow {
	v, would := ShareNow(now, inForce, teams), ShareNow(now, then, teams)
	v.Asked = true
	for i, t := range v.Teams {
		if other := would.Teams[i]; other.Due != t.Due || other.Most != t.Most {
			v.Teams[i].Then = &other
		}
	}
	for i, l := range v.Limits {
		if total := then.Limits[l.Name].Total; total != l.Total {
			v.Limits[i].Then = &total
		}
	}
	return v
}

// changes says whether what is not saved would change anything of what is shown.
func (v SharingNow) changes() bool {
	return slices.ContainsFunc(v.Teams, func(t TeamNow) bool { return t.Then != nil }) || slices.ContainsFunc(v.Limits, func(l LimitNow) bool { return l.Then != nil })
}

// thenWords say what a form that is not saved would come to, "" where none was sent.
func (v SharingNow) thenWords(ctx context.Context) string {
	switch {
	case v.Unread:
		return say(ctx, "Some fields are not valid")
	case v.changes():
		return say(ctx, "Not saved yet: what would change now is drawn below what is.")
	case v.Asked:
		return say(ctx, "Not saved yet: it would change nothing of who gets machines now.")
	}
	return ""
}

// mostWords say how many machines a team would have at once.
func (t TeamNow) mostWords(ctx context.Context) string {
	if t.Most == 0 {
		return say(ctx, "then any number of machines")
	}
	return many(ctx, t.Most, "then at most %d machine", "then at most %d machines")
}

// totalWords say what would become of the limit.
func (l LimitNow) totalWords(ctx context.Context) string {
	if *l.Then == 0 {
		return say(ctx, "then no limit")
	}
	return say(ctx, "then %d of %d", l.Taken, *l.Then)
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
