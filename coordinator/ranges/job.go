package ranges

import (
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/farm"
)

// ChangesLength says whether an asset may change how many frames a composition has: a script can do anything.
func ChangesLength(a farm.Asset) bool {
	return a.Type == "script" || a.Type == "function" && strings.HasSuffix(a.Name, "comp-duration-set")
}

// Composition finds a composition by its name, nil when there is none, or several that are not alike.
func Composition(sum *aep.Summary, name string) *aep.CompositionSummary {
	var found *aep.CompositionSummary
	for i := range sum.Compositions {
		switch comp := &sum.Compositions[i]; {
		case comp.Name != name:
		case found == nil:
			found = comp
		case Length(*comp) != Length(*found) || comp.RenderStart != found.RenderStart || comp.RenderFrames != found.RenderFrames:
			return nil
		}
	}
	return found
}

// Length is how many frames a composition has.
func Length(comp aep.CompositionSummary) int { return int(comp.Duration*comp.FrameRate + 0.5) }

// MayPart says whether the result of a job can be put together from ranges of its frames. Where those depend on what one process drew
// before them, frames of two are of two films.
func MayPart(job farm.Job, template *farm.Template) bool {
	s := job.Settings
	switch {
	case job.Join, job.Preview, job.Sequential, template != nil && template.Sequential, s.Type == "aep":
		return false
	case s.Type == "image":
		return s.Frames != nil && !s.Frames.Single
	}
	return true
}

// MaySplit says whether a task may be split: it renders the whole of a composition of which the farm knows how long it is, in any
// order, and has not failed.
func MaySplit(t farm.Task, job farm.Job, template *farm.Template) bool {
	return t.Kind == farm.TaskRender && !t.Part && t.Failures == 0 && template != nil && MayPart(job, template)
}

// NeverSplit says why one machine renders all of a film, whatever others are free; "" when it may be split, or when that is no question: of
// single pictures, projects, previews and joined clips. known says that the farm knows which frames it has.
func NeverSplit(t farm.Task, job farm.Job, template *farm.Template, known bool) string {
	inAnyOrder := job
	inAnyOrder.Sequential = false
	switch {
	case !MayPart(inAnyOrder, nil):
		return ""
	case job.Sequential:
		return "the job is sequential: each of its frames depends on those before it"
	case template == nil:
		return "the farm has not read the project, which the job names by its address"
	case template.Sequential:
		return "the template is marked as sequential: each frame depends on those before it"
	case slices.ContainsFunc(job.Assets, ChangesLength):
		return "a script, or a function that sets the duration, may change how many frames the film has"
	case !known:
		return "the farm does not know how many frames the composition has"
	case t.Failures > 0:
		return "it has failed before, and is tried again as a whole"
	}
	return ""
}

// MayPreview says whether single frames of a job can be looked at before it is rendered.
func MayPreview(job farm.Job) bool {
	return !job.Join && !job.Preview && job.Settings.Type != "aep" && (job.Settings.Type != "image" || MayPart(job, nil))
}

// Stills are the first, the middle and the last of some frames.
func Stills(frames farm.Frames) []int {
	return slices.Compact([]int{frames.Start, (frames.Start + frames.End) / 2, frames.End})
}
