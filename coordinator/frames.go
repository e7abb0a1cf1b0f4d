package coordinator

import (
	"context"
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// framesOf is the range of frames that a job renders, as far as that is certain before a machine has opened its project:
// known is false for one that the farm has not read, and for one that the job itself makes longer or shorter.
func (c *Coordinator) framesOf(ctx context.Context, job farm.Job, t *farm.Template) (frames farm.Frames, known bool, err error) {
	if t == nil || t.Introspection == nil || slices.ContainsFunc(job.Assets, changesLength) {
		return farm.Frames{}, false, nil
	}
	name := job.Template.Composition
	if name == "" {
		if name, err = templates.OnlyComposition(*t, c.templates.SummaryFor(ctx)); err != nil || name == "" {
			return farm.Frames{}, false, err
		}
	}
	sum, err := c.templates.Summary(ctx, *t.Introspection)
	if err != nil {
		return farm.Frames{}, false, err
	}
	comp := composition(sum, name)
	if comp == nil || comp.RenderFrames == 0 {
		return farm.Frames{}, false, nil
	}
	frames = farm.Frames{Start: comp.RenderStart, End: comp.RenderStart + comp.RenderFrames - 1}
	if asked := job.Settings.Frames; asked != nil {
		frames = farm.Frames{Start: asked.Start, End: min(asked.End, lengthOf(*comp)-1)}
	}
	return frames, frames.Count() > 0, nil
}

// changesLength says whether an asset may change how many frames a composition has: a script can do anything.
func changesLength(a farm.Asset) bool {
	return a.Type == "script" || a.Type == "function" && strings.HasSuffix(a.Name, "comp-duration-set")
}

// composition finds a composition by its name, nil when there is none, or several that are not alike.
func composition(sum *aep.Summary, name string) *aep.CompositionSummary {
	var found *aep.CompositionSummary
	for i := range sum.Compositions {
		switch comp := &sum.Compositions[i]; {
		case comp.Name != name:
		case found == nil:
			found = comp
		case lengthOf(*comp) != lengthOf(*found) || comp.RenderStart != found.RenderStart || comp.RenderFrames != found.RenderFrames:
			return nil
		}
	}
	return found
}

// lengthOf is how many frames a composition has.
func lengthOf(comp aep.CompositionSummary) int { return int(comp.Duration*comp.FrameRate + 0.5) }

// mayPart says whether the result of a job can be put together from ranges of its frames. Where those depend on what one process drew
// before them, frames of two are of two films.
func mayPart(job farm.Job, template *farm.Template) bool {
	s := job.Settings
	switch {
	case job.Join, job.Preview, job.Sequential, template != nil && template.Sequential, s.Type == "aep":
		return false
	case s.Type == "image":
		return s.Frames != nil && !s.Frames.Single
	}
	return true
}

// neverSplit says why one machine renders all of a film, whatever others are free; "" when it may be split, or when that is no question: of
// single pictures, projects, previews and joined clips. known says that the farm knows which frames it has.
func neverSplit(t farm.Task, job farm.Job, template *farm.Template, known bool) string {
	inAnyOrder := job
	inAnyOrder.Sequential = false
	switch {
	case !mayPart(inAnyOrder, nil):
		return ""
	case job.Sequential:
		return "the job is sequential: each of its frames depends on those before it"
	case template == nil:
		return "the farm has not read the project, which the job names by its address"
	case template.Sequential:
		return "the template is marked as sequential: each frame depends on those before it"
	case slices.ContainsFunc(job.Assets, changesLength):
		return "a script, or a function that sets the duration, may change how many frames the film has"
	case !known:
		return "the farm does not know how many frames the composition has"
	case t.Failures > 0:
		return "it has failed before, and is tried again as a whole"
	}
	return ""
}

// mayPreview says whether single frames of a job can be looked at before it is rendered.
func mayPreview(job farm.Job) bool {
	return !job.Join && !job.Preview && job.Settings.Type != "aep" && (job.Settings.Type != "image" || mayPart(job, nil))
}

// stillsOf are the first, the middle and the last of some frames.
func stillsOf(frames farm.Frames) []int {
	return slices.Compact([]int{frames.Start, (frames.Start + frames.End) / 2, frames.End})
}
