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
}

// machineStock is what submissions and lists ask of one machine.
type machineStock struct {
	agent  farm.Agent // see brief
	tags   []string
	os     string
	memory int64
	fonts  map[string]bool // by farm.FontKey of their PostScript names
	// effects are the match names of added effects, engines the releases of After Effects.
	effects map[string]bool
	engines []schedule.Engine
	roots   []string // nil where that is not known
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
	i.all, i.machines, i.stale = false, nil, nil
}

// readAgents is how many machines are read at once.
const readAgents = 50

// renewLocked reads what has changed.
func (i *Installed) renewLocked(tx *raftstore.Tx) error {
	if !i.all {
		i.machines, i.stale = map[string]machineStock{}, nil
		for after := ""; ; {
			agents, err := tx.AgentsAfter(after, readAgents)
			if err != nil {
				return err
			}
			for _, a := range agents {
				i.machines[a.ID], after = stockOf(a), a.ID
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
			delete(i.machines, id)
		case err != nil:
			return err
		default:
			i.machines[id] = stockOf(a)
		}
		delete(i.stale, id)
	}
	return nil
}

func stockOf(a farm.Agent) machineStock {
	m := machineStock{agent: brief(a), tags: slices.Concat(a.Tags, a.Inventory.Tags), os: a.Inventory.OS, memory: a.Inventory.Memory, roots: a.Inventory.Roots, fonts: make(map[string]bool, len(a.Inventory.Fonts))}
	for _, f := range a.Inventory.Fonts {
		m.fonts[farm.FontKey(f.PostScript)] = true
	}
	m.effects = make(map[string]bool, len(a.Inventory.Effects))
	for _, e := range a.Inventory.Effects {
		m.effects[e] = true
	}
	for _, e := range a.Inventory.Engines {
		if e.Kind == farm.EngineAfterEffects {
			m.engines = append(m.engines, schedule.Release(e.Version))
		}
	}
	return m
}

// mayRender says whether a machine is one of those that a job asks for.
func (m machineStock) mayRender(job *farm.Job) bool {
	has := func(tag string) bool { return slices.Contains(m.tags, tag) }
	return !slices.ContainsFunc(job.RequireTags, func(tag string) bool { return !has(tag) }) &&
		(len(job.AnyTags) == 0 || slices.ContainsFunc(job.AnyTags, has)) && !slices.ContainsFunc(job.NoTags, has) &&
		(job.OS == "" || job.OS == m.os) && job.MinMemory <= m.memory
}

func (i *Installed) hasLocked(job *farm.Job, font string) bool {
	for _, m := range i.machines {
		if m.fonts[font] && m.mayRender(job) {
			return true
		}
	}
	return false
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
