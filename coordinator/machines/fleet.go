package machines

import (
	"cmp"
	"context"
	"slices"

	"overcrank/farm"
)

// Lack is something that most other machines have.
type Lack struct {
	Name string
	Have int // machines that have it
}

// Comparison is what a machine lacks against the other machines of its farm.
type Comparison struct {
	Others                 int // machines that it is compared with
	Fonts, Effects, Builds []Lack
	Alone                  []string // builds of After Effects that no other machine has
}

const (
	// mostHave is the share of the other machines that make something usual.
	mostHave = 0.75
	// leastOthers is how many others there have to be for anything to be usual.
	leastOthers = 2
)

// kindOfPart is a kind of what machines have.
type kindOfPart int

const (
	partFont kindOfPart = iota
	partEffect
	partBuild
	kindsOfPart
)

// fleet counts which machines have what. It changes with each record, so that a comparison costs no look at all machines.
type fleet [kindsOfPart]map[string]had

type had struct {
	name string // as people read it
	n    int
}

// partsOf are what a machine has, by their keys, as people read them.
func partsOf(a farm.Agent) (parts [kindsOfPart]map[string]string) {
	for k := range parts {
		parts[k] = map[string]string{}
	}
	for _, f := range a.Inventory.Fonts {
		parts[partFont][farm.FontKey(f.PostScript)] = cmp.Or(f.PostScript, f.Family)
	}
	for _, e := range a.Inventory.Effects {
		parts[partEffect][e] = e
	}
	for _, e := range a.Inventory.Engines {
		if e.Kind == farm.EngineAfterEffects {
			parts[partBuild][e.Version] = e.Version
		}
	}
	delete(parts[partFont], "")
	return parts
}

// count adds a machine to the fleet, or takes it away.
func (f *fleet) count(parts [kindsOfPart]map[string]string, by int) {
	for k := range parts {
		if f[k] == nil {
			f[k] = map[string]had{}
		}
		for key, name := range parts[k] {
			h := f[k][key]
			h.n += by
			if h.name == "" {
				h.name = name
			}
			if f[k][key] = h; h.n <= 0 {
				delete(f[k], key)
			}
		}
	}
}

// Compare says what a machine lacks that most other machines have. CodeNotFound when there is none.
func (r *Roster) Compare(_ context.Context, p farm.Principal, id string) (Comparison, error) {
	if err := p.May(farm.ActView); err != nil {
		return Comparison{}, err
	}
	i := r.installed
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := r.state.View(i.renewLocked); err != nil {
		return Comparison{}, err
	}
	own, known := i.machines[id]
	if !known {
		return Comparison{}, noMachine(id)
	}
	c := Comparison{Others: len(i.machines) - 1}
	if c.Others < leastOthers {
		return c, nil
	}
	c.Fonts, c.Effects, c.Builds = i.fleet.lacks(partFont, own, c.Others), i.fleet.lacks(partEffect, own, c.Others), i.fleet.lacks(partBuild, own, c.Others)
	for key := range own.parts[partBuild] {
		if i.fleet[partBuild][key].n == 1 {
			c.Alone = append(c.Alone, key)
		}
	}
	slices.Sort(c.Alone)
	return c, nil
}

// lacks are what most others have and a machine does not, what most of them have first.
func (f *fleet) lacks(kind kindOfPart, own machineStock, others int) (list []Lack) {
	for key, h := range f[kind] {
		if _, has := own.parts[kind][key]; !has && float64(h.n) >= mostHave*float64(others) {
			list = append(list, Lack{Name: h.name, Have: h.n})
		}
	}
	slices.SortFunc(list, func(a, b Lack) int { return cmp.Or(b.Have-a.Have, cmp.Compare(a.Name, b.Name)) })
	return list
}

// Day is what a machine did in the last 24 hours, as far as the coordinator that leads has seen it. Which jobs of other teams it worked on is
// left out.
func (r *Roster) Day(ctx context.Context, p farm.Principal, id string) (farm.MachineDay, error) {
	if err := p.May(farm.ActView); err != nil {
		return farm.MachineDay{}, err
	}
	day, err := r.dispatcher.DayOf(ctx, id)
	for i := range day.Parts {
		if part := &day.Parts[i]; part.Team != p.Team {
			part.Job, part.Team = "", ""
		}
	}
	return day, err
}
