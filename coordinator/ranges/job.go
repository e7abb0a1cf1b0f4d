package ranges

import (
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/farm"
)

// ChangesLength reports whether an asset may change the number of frames of a composition. A script can do anything.
func ChangesLength(a farm.Asset) bool {
	return a.Type == "script" || a.Type == "function" && strings.HasSuffix(a.Name, "comp-duration-set")
}

// Composition finds a composition by name; nil when there is none, or several that differ.
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

// Length is the number of frames of a composition.
func Length(comp aep.CompositionSummary) int { return int(comp.Duration*comp.FrameRate + 0.5) }

// MayPart reports whether a job's result can be assembled from ranges of its frames. It cannot where frames depend on earlier ones that
// the same process rendered.
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

// MaySplit reports whether a task may be split: it renders a whole composition of known length, in any order, and has not failed.
func MaySplit(t farm.Task, job farm.Job, template *farm.Template) bool {
	return t.Kind == farm.TaskRender && !t.Part && t.Failures == 0 && template != nil && MayPart(job, template)
}

// NeverSplit says why one machine has to render a whole film; zero when it may be split, and for single pictures, projects, previews and
// joined clips, where the question does not arise. known says that the farm knows how many frames the film has.
func NeverSplit(t farm.Task, job farm.Job, template *farm.Template, known bool) farm.Text {
	inAnyOrder := job
	inAnyOrder.Sequential = false
	switch {
	case !MayPart(inAnyOrder, nil):
		return farm.Text{}
	case job.Sequential:
		return farm.Say("the job is sequential: each of its frames depends on those before it")
	case template == nil:
		return farm.Say("the farm has not read the project, which the job names by its address")
	case template.Sequential:
		return farm.Say("the template is marked as sequential: each frame depends on those before it")
	case slices.ContainsFunc(job.Assets, ChangesLength):
		return farm.Say("a script, or a function that sets the duration, may change how many frames the film has")
	case !known:
		return farm.Say("the farm does not know how many frames the composition has")
	case t.Failures > 0:
		return farm.Say("it has failed before, and is tried again as a whole")
	}
	return farm.Text{}
}

// MayPreview reports whether single frames of a job can be rendered as a preview.
func MayPreview(job farm.Job) bool {
	return !job.Join && !job.Preview && job.Settings.Type != "aep" && (job.Settings.Type != "image" || MayPart(job, nil))
}

// Stills returns the first, middle and last of some frames.
func Stills(frames farm.Frames) []int {
	return slices.Compact([]int{frames.Start, (frames.Start + frames.End) / 2, frames.End})
}
