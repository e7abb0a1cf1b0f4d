// Package schedule decides which ready task goes to which machine. It is pure: no clock, no I/O, no goroutines; its
// caller gives it the time and serialises the calls.
package schedule

import (
	"slices"
	"strconv"
	"strings"

	"overcrank/farm"
)

// Engine is what a task needs to be rendered with.
type Engine string

// What a task may need beside one certain release of After Effects, which is written as settings write it (ae2026).
const (
	EngineAny          Engine = ""   // whatever is free first
	EngineAfterEffects Engine = "ae" // any After Effects
)

// NeedOf says what a job's tasks need. Clips are stitched without After Effects. On a farm that has enrolled none at all, the
// embedded engine serves whatever would need one.
func NeedOf(job farm.Job, farmHasAfterEffects bool) Engine {
	switch {
	case !farmHasAfterEffects, job.Preview, job.Join:
		return EngineAny
	case job.Settings.Engine != "":
		return Engine(job.Settings.Engine)
	default:
		return EngineAfterEffects
	}
}

// Release is the year under which Adobe sells the After Effects of a version: 26.0.2 is ae2026. It is "" when version
// does not begin with a number.
func Release(version string) Engine {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	if err != nil || n < 1 {
		return ""
	}
	return Engine("ae20" + strconv.Itoa(n))
}

// HasAfterEffects tells whether an inventory holds any After Effects.
func HasAfterEffects(inv farm.Inventory) bool {
	return slices.ContainsFunc(inv.Engines, func(e farm.EngineInfo) bool { return e.Kind == farm.EngineAfterEffects })
}

// Machine is what a queue has to know of a connected agent.
type Machine struct {
	ID      string
	Engines []Engine // releases of After Effects
	AnyKind bool     // it has some engine at all
	Tags    []string
	Slots   int // tasks it runs at once
}

// MachineOf is the Machine of an agent.
func MachineOf(id string, inv farm.Inventory) Machine {
	m := Machine{ID: id, Tags: inv.Tags, Slots: max(inv.Slots, 1), AnyKind: len(inv.Engines) > 0}
	for _, e := range inv.Engines {
		if e.Kind == farm.EngineAfterEffects {
			m.Engines = append(m.Engines, Release(e.Version))
		}
	}
	return m
}

// Fits tells whether the machine has what a task needs.
func (m Machine) Fits(engine Engine, tags []string) bool {
	switch engine {
	case EngineAny:
		if !m.AnyKind {
			return false
		}
	case EngineAfterEffects:
		if len(m.Engines) == 0 {
			return false
		}
	default:
		if !slices.Contains(m.Engines, engine) {
			return false
		}
	}
	for _, tag := range tags {
		if !slices.Contains(m.Tags, tag) {
			return false
		}
	}
	return true
}
