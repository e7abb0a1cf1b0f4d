// Package schedule decides which ready task goes to which machine. It is pure: no clock, no I/O, no goroutines. Its caller passes the
// time and serialises calls.
package schedule

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"overcrank/farm"
	"overcrank/farm/codec"
)

// Engine is what a task is to be rendered with.
type Engine string

// Engines other than one release of After Effects, which is written as in settings (ae2026).
const (
	EngineAny          Engine = ""         // any engine
	EngineAfterEffects Engine = "ae"       // any After Effects
	EngineEmbedded     Engine = "embedded" // only the farm's own
)

// Need is what a task requires of a machine and of the farm. Tasks with equal needs are one class.
type Need struct {
	Engine Engine
	// SavedWith is the version of After Effects that wrote the project, such as 26.1, or "". Major and minor of the rendering one must
	// not be lower. It matters for EngineAfterEffects only.
	SavedWith string
	// Fonts are the PostScript names that neither the job nor the library brings. One that no enrolled machine has is not required; it is
	// drawn with a substitute.
	Fonts []string
	// Effects are the match names of third-party effects. They are required on a farm that has After Effects.
	Effects   []string
	AllTags   []string
	AnyTags   []string
	NoTags    []string
	MinMemory int64  // bytes
	OS        string // GOOS
	// Writes is the family of codecs (codec.H264 and so on) that the machine must have an encoder for, "" for none.
	Writes string
	Limits []string
	// Secrets are the SecretKeys of the secrets whose values the machine would get.
	Secrets []string
	// Project is the id of the team's project whose machine hours the task uses, "" for none.
	Project string
}

// SecretKey names a secret of a team in a Need.
func SecretKey(team, name string) string { return team + "/" + name }

// NeedOf returns what a task of a job needs. template is nil for a job without a registered one. Joining and assembling need no After
// Effects, and previews are rendered without it.
func NeedOf(job farm.Job, template *farm.Template, task farm.Task) Need {
	n := Need{
		AllTags: job.RequireTags, AnyTags: job.AnyTags, NoTags: job.NoTags,
		MinMemory: job.MinMemory, OS: job.OS, Limits: job.Limits, Project: job.ProjectID,
	}
	for _, name := range job.UsesSecrets {
		n.Secrets = append(n.Secrets, SecretKey(job.Team, name))
	}
	n.Writes = writes(job, task)
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

// writes is the family of codecs that a task of a job writes its result in. Parts of a film are handed over as plain frames, and are
// encoded by whoever puts them together, so that all of a film is written by one encoder.
func writes(job farm.Job, task farm.Task) string {
	switch {
	case job.Join || task.Kind == farm.TaskJoin:
		return codec.H264 // for clips that do not agree; that is known once they are there
	case task.Part || task.Kind == farm.TaskSample || task.Kind == farm.TaskSound || job.Settings.Type == "aep":
		return ""
	}
	name := codec.DefaultFilm
	if job.Settings.Type == "image" && !job.Preview {
		name = codec.DefaultStill
	}
	c, _ := codec.Find(cmp.Or(job.Settings.Codec, name)) // one that is not known has no family
	return c.Family()
}

// appendKey appends to key what distinguishes needs.
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
	key = append(append(key, n.Writes...), 1)
	list(n.Fonts)
	list(n.Effects)
	list(n.AllTags)
	list(n.AnyTags)
	list(n.NoTags)
	list(n.Limits)
	list(n.Secrets)
	return append(append(key, n.Project...), 1)
}

// major is the first number of a version; 0 when it does not begin with one.
func major(version string) int {
	first, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(first)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// version is the first two numbers of a version, 0 where one is missing.
func version(text string) [2]int {
	_, rest, _ := strings.Cut(text, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, _ := strconv.Atoi(minor) // malformed counts as 0
	return [2]int{major(text), n}
}

// Release names the After Effects of a version by the year under which Adobe sells it: 26.0.2 is ae2026. It is "" when version does not
// begin with a number.
func Release(version string) Engine {
	n := major(version)
	if n == 0 {
		return ""
	}
	return Engine("ae20" + strconv.Itoa(n))
}

// HasAfterEffects reports whether an inventory lists any After Effects.
func HasAfterEffects(inv farm.Inventory) bool {
	return slices.ContainsFunc(inv.Engines, func(e farm.EngineInfo) bool { return e.Kind == farm.EngineAfterEffects })
}
