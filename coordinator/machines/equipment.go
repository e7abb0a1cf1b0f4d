package machines

import (
	"context"
	"slices"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
)

// Equipment says how many of the farm's machines have what a project uses.
type Equipment struct {
	Machines int            // that are enrolled
	Engine   int            // that have the After Effects that was asked for, or any
	Fonts    map[string]int // by the name that was asked for
	Effects  map[string]int
}

// Equipment counts the machines that have fonts, by their PostScript names, added effects, by their match names, and the After Effects of
// a release such as ae2026, "" for any.
func (r *Roster) Equipment(_ context.Context, p farm.Principal, fonts, effects []string, engine string) (Equipment, error) {
	if err := p.May(farm.ActView); err != nil {
		return Equipment{}, err
	}
	keys := make([]string, len(fonts))
	for i, name := range fonts {
		keys[i] = farm.FontKey(name)
	}
	r.installed.mu.Lock()
	defer r.installed.mu.Unlock()
	if err := r.state.View(r.installed.renewLocked); err != nil {
		return Equipment{}, err
	}
	e := Equipment{Machines: len(r.installed.machines), Fonts: map[string]int{}, Effects: map[string]int{}}
	for _, m := range r.installed.machines {
		if len(m.engines) > 0 && (engine == "" || slices.Contains(m.engines, schedule.Engine(engine))) {
			e.Engine++
		}
		for i, name := range fonts {
			if m.has(partFont, keys[i]) {
				e.Fonts[name]++
			}
		}
		for _, name := range effects {
			if m.has(partEffect, name) {
				e.Effects[name]++
			}
		}
	}
	return e, nil
}
