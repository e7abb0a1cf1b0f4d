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
	EngineAny          Engine = ""         // whatever is free first
	EngineAfterEffects Engine = "ae"       // any After Effects
	EngineEmbedded     Engine = "embedded" // the farm's own, and no other
)

// Need is what a task asks of a machine, and of the farm. Tasks of equal needs are one class, however many they are.
type Need struct {
	Engine Engine
	// SavedWith is the version of After Effects that wrote the project, such as 26.1; one that renders it must not be older, by
	// these two numbers. It counts for EngineAfterEffects alone, and "" is for any.
	SavedWith string
	// Fonts are the PostScript names that neither the job nor the library brings. One that no enrolled machine has is drawn with
	// a stand-in, and asked of nobody.
	Fonts []string
	// Effects are the match names of those that were added to After Effects. They are asked for on a farm that has it.
	Effects   []string
	AllTags   []string
	AnyTags   []string
	NoTags    []string
	MinMemory int64  // bytes
	OS        string // as Go names it
	Limits    []string
	// Secrets are those whose values the machine would get, by their SecretKey.
	Secrets []string
}

// SecretKey is how the queue calls a secret of a team.
func SecretKey(team, name string) string { return team + "/" + name }

// NeedOf says what a task of a job needs. template is nil for a job without a registered one. Clips and frames are put together
// without After Effects, and previews are drawn without it.
func NeedOf(job farm.Job, template *farm.Template, task farm.Task) Need {
	n := Need{
		AllTags: job.RequireTags, AnyTags: job.AnyTags, NoTags: job.NoTags,
		MinMemory: job.MinMemory, OS: job.OS, Limits: job.Limits,
	}
	for _, name := range job.UsesSecrets {
		n.Secrets = append(n.Secrets, SecretKey(job.Team, name))
	}
	if job.Join || task.Kind == farm.TaskJoin || task.Kind == farm.TaskAssemble {
		return n
	}
	n.Fonts = job.MissingFonts
	switch {
	case task.Engine == farm.EngineEmbedded:
		n.Engine = EngineEmbedded
		return n
	case job.Preview:
		return n
	}
	if template != nil {
		n.Effects = template.Effects
		n.SavedWith = template.SavedWith
	}
	n.Engine = EngineAfterEffects
	if job.Settings.Engine != "" {
		n.Engine, n.SavedWith = Engine(job.Settings.Engine), ""
	}
	return n
}

// appendKey adds to a key what tells needs apart.
func (n Need) appendKey(key []byte) []byte {
	list := func(names []string) {
		if !slices.IsSorted(names) {
			names = slices.Sorted(slices.Values(names))
		}
		for _, name := range names {
			key = append(append(key, name...), 0)
		}
		key = append(key, 1)
	}
	key = append(append(key, n.Engine...), 1)
	key = append(append(key, n.SavedWith...), 1)
	key = append(strconv.AppendInt(key, n.MinMemory, 36), 1)
	key = append(append(key, n.OS...), 1)
	list(n.Fonts)
	list(n.Effects)
	list(n.AllTags)
	list(n.AnyTags)
	list(n.NoTags)
	list(n.Limits)
	list(n.Secrets)
	return key
}

// major is the first number of a version, 0 when it does not begin with one.
func major(version string) int {
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// version is the first two numbers of a version, the second 0 when it has none.
func version(text string) [2]int {
	_, rest, _ := strings.Cut(text, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, _ := strconv.Atoi(minor) // what is no number counts as 0
	return [2]int{major(text), n}
}

// Release is the year under which Adobe sells the After Effects of a version: 26.0.2 is ae2026. It is "" when version
// does not begin with a number.
func Release(version string) Engine {
	n := major(version)
	if n == 0 {
		return ""
	}
	return Engine("ae20" + strconv.Itoa(n))
}

// HasAfterEffects tells whether an inventory holds any After Effects.
func HasAfterEffects(inv farm.Inventory) bool {
	return slices.ContainsFunc(inv.Engines, func(e farm.EngineInfo) bool { return e.Kind == farm.EngineAfterEffects })
}
