package machines

import (
	"errors"
	"slices"
	"sync"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/raftstore"
)

// Installed knows which fonts the enrolled machines have and which folders they may take files from, so that a font is called missing
// only where no machine that may render the job has it. Machines are read when somebody asks and only when their record has changed since:
// inventories are large. Its zero value knows nothing yet. Its methods may be called at the same time.
type Installed struct {
	mu       sync.Mutex
	all      bool // the machines of the farm have been looked through once
	machines map[string]machineStock
	stale    map[string]bool // ids of machines that have changed
	fleet    fleet
}

// machineStock is what submissions and lists ask of one machine.
type machineStock struct {
	agent farm.Agent // see brief
	// parts are the fonts, by farm.FontKey of their PostScript names, the added effects, by their match names, and the builds of After Effects.
	parts   [kindsOfPart]map[string]string
	tags    []string
	os      string
	memory  int64
	engines []schedule.Engine // releases of After Effects
	roots   []string          // nil where that is not known
}

// Changed notes that a machine's record is another.
func (i *Installed) Changed(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stale == nil {
		i.stale = map[string]bool{}
	}
	i.stale[id] = true
}

// Forget notes that all of it may be different.
func (i *Installed) Forget() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all, i.machines, i.stale, i.fleet = false, nil, nil, fleet{}
}

// readAgents is how many machines are read at once.
const readAgents = 50

// renewLocked reads what has changed.
func (i *Installed) renewLocked(tx *raftstore.Tx) error {
	if !i.all {
		i.machines, i.stale, i.fleet = map[string]machineStock{}, nil, fleet{}
		for after := ""; ; {
			agents, err := tx.AgentsAfter(after, readAgents)
			if err != nil {
				return err
			}
			for _, a := range agents {
				i.keepLocked(a)
				after = a.ID
			}
			if len(agents) < readAgents {
				i.all = true
				return nil
			}
		}
	}
	for id := range i.stale {
		a, err := tx.Agent(id)
		switch {
		case farm.CodeOf(err) == farm.CodeNotFound:
			i.dropLocked(id)
		case err != nil:
			return err
		default:
			i.keepLocked(a)
		}
		delete(i.stale, id)
	}
	return nil
}

// keepLocked remembers a machine as it is now, dropLocked that it is gone.
func (i *Installed) keepLocked(a farm.Agent) {
	i.dropLocked(a.ID)
	m := stockOf(a)
	i.machines[a.ID] = m
	i.fleet.count(m.parts, 1)
}

func (i *Installed) dropLocked(id string) {
	if old, known := i.machines[id]; known {
		i.fleet.count(old.parts, -1)
		delete(i.machines, id)
	}
}

func stockOf(a farm.Agent) machineStock {
	m := machineStock{agent: brief(a), parts: partsOf(a), tags: slices.Concat(a.Tags, a.Inventory.Tags), os: a.Inventory.OS, memory: a.Inventory.Memory, roots: a.Inventory.Roots}
	for _, e := range a.Inventory.Engines {
		if e.Kind == farm.EngineAfterEffects {
			m.engines = append(m.engines, schedule.Release(e.Version))
		}
	}
	return m
}

func (m machineStock) has(kind kindOfPart, key string) bool {
	_, has := m.parts[kind][key]
	return has
}

// mayRender says whether a machine is one of those that a job asks for.
func (m machineStock) mayRender(job *farm.Job) bool {
	has := func(tag string) bool { return slices.Contains(m.tags, tag) }
	return !slices.ContainsFunc(job.RequireTags, func(tag string) bool { return !has(tag) }) &&
		(len(job.AnyTags) == 0 || slices.ContainsFunc(job.AnyTags, has)) && !slices.ContainsFunc(job.NoTags, has) &&
		(job.OS == "" || job.OS == m.os) && job.MinMemory <= m.memory
}

// hasLocked says whether a machine that may render a job has a font. Where none may render it, any machine counts: which ones will is not known
// until tags or the job's requirements change, and their fonts are not what keeps it waiting.
func (i *Installed) hasLocked(job *farm.Job, font string) bool {
	has, fits := false, false
	for _, m := range i.machines {
		may, holds := m.mayRender(job), m.has(partFont, font)
		if may && holds {
			return true
		}
		has, fits = has || holds, fits || may
	}
	return has && !fits
}

// OnlyMissing leaves those fonts in a job that are missing indeed. What stands in the state is what the team's library lacks, by which
// the job's machine is chosen; a machine that has the font is chosen before all others. A font file that the job names has to be in
// the library.
func (r *Roster) OnlyMissing(job *farm.Job) error {
	if len(job.MissingFonts) == 0 {
		return nil
	}
	r.installed.mu.Lock()
	defer r.installed.mu.Unlock()
	if err := r.state.View(r.installed.renewLocked); err != nil {
		return err
	}
	job.MissingFonts = slices.DeleteFunc(slices.Clone(job.MissingFonts), func(name string) bool {
		return !slices.Contains(job.Fonts, name) && r.installed.hasLocked(job, farm.FontKey(name))
	})
	return nil
}

// TellMissing does OnlyMissing for a job and those nested in it.
func (r *Roster) TellMissing(job *farm.Job) error {
	err := r.OnlyMissing(job)
	if slices.ContainsFunc(job.Assets, func(a farm.Asset) bool { return a.Nested != nil }) {
		job.Assets = slices.Clone(job.Assets)
	}
	for i := range job.Assets {
		if nested := job.Assets[i].Nested; nested != nil {
			child := *nested
			err = errors.Join(err, r.TellMissing(&child))
			job.Assets[i].Nested = &child
		}
	}
	return err
}

// FileAllowed says whether some machine may read a file.
func (r *Roster) FileAllowed(path string) (bool, error) {
	r.installed.mu.Lock()
	defer r.installed.mu.Unlock()
	if err := r.state.View(r.installed.renewLocked); err != nil {
		return false, err
	}
	for _, m := range r.installed.machines {
		if m.roots == nil || farm.InRoots(m.os, m.roots, path) {
			return true, nil
		}
	}
	return false, nil
}
