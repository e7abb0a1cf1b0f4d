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
	// Own says that only the reader's own team is told of, so that nobody can say what its weight gives it.
	Own bool
	// Asked says that it is also what a form would come to that is not saved.
	Asked bool
	// Problem is what is wrong with that form, "" for nothing.
	Problem string
}

// TeamNow is a team's share.
type TeamNow struct {
	farm.TeamUse
	Name string
	Idle bool     // it has nothing and wants nothing
	Due  float64  // percent of the farm by its weight, among the teams that have or want something; of an idle one among all teams
	Has  float64  // percent of the tasks at work
	Most int      // machines at once; 0 for any number
	Then *TeamNow // by a policy that is not saved, nil where that changes nothing for the team
}

// LimitNow is how much of a limit is taken.
type LimitNow struct {
	farm.LimitUse
	Name  string
	Total int  // 0 for one that is not saved
	Then  *int // the total by a policy that is not saved, 0 where the limit goes; nil where it stays as it is
}

// ShareNow puts what the teams that the reader sees have beside what their weights give them.
func ShareNow(now farm.SharingNow, p farm.Policy, teams []farm.Team) (v SharingNow) {
	tasks, wanted, all := 0, 0.0, 0.0
	weight := func(id string) float64 { return p.Teams[id].Share() }
	for _, t := range teams {
		use := now.Teams[t.ID]
		tasks += use.Tasks
		all += weight(t.ID)
		if use.Tasks+use.Waiting > 0 {
			wanted += weight(t.ID)
		}
	}
	for _, t := range teams {
		use := now.Teams[t.ID]
		row := TeamNow{TeamUse: use, Name: t.Name, Idle: use.Tasks+use.Waiting == 0, Most: p.Teams[t.ID].MaxMachines}
		among := wanted
		if row.Idle {
			among = all
		}
		row.Due = 100 * weight(t.ID) / among
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
	for _, name := range slices.Sorted(maps.Keys(then.Limits)) {
		if _, known := inForce.Limits[name]; !known {
			total := then.Limits[name].Total
			v.Limits = append(v.Limits, LimitNow{Name: name, Then: &total})
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
	case v.Problem != "":
		return v.Problem
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
	switch {
	case *l.Then == 0:
		return say(ctx, "then no limit")
	case l.Total == 0:
		return many(ctx, *l.Then, "then at most %d at once", "then at most %d at once")
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
	if t.Idle {
		return say(ctx, "nothing waits; %s if all teams asked", percentWords(ctx, t.Due))
	}
	return percentWords(ctx, t.Due)
}

// bar is how far the bar of a team's due share goes, in percent.
func (t TeamNow) bar() float64 {
	if t.Idle {
		return 0
	}
	return t.Due
}

// taken says how much of a limit is taken. Of one that is not saved nobody counts.
func (l LimitNow) taken(ctx context.Context) string {
	if l.Total == 0 {
		return say(ctx, "no limit yet")
	}
	return say(ctx, "%d of %d", l.Taken, l.Total)
}

// full is how much of the limit is taken, in percent.
func (l LimitNow) full() float64 {
	return min(100*float64(l.Taken)/float64(max(l.Total, 1)), 100)
}

// holders are the machines that hold it.
func (l LimitNow) holders() string { return strings.Join(l.Machines, ", ") }
