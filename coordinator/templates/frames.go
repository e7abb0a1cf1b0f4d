package templates

import (
	"context"
	"slices"

	"overcrank/coordinator/ranges"
	"overcrank/farm"
)

// FramesOf is the range of frames that a job renders, as far as that is certain before a machine has opened its project:
// known is false for one that the farm has not read, and for one that the job itself makes longer or shorter.
func (c *Catalog) FramesOf(ctx context.Context, job farm.Job, t *farm.Template) (frames farm.Frames, known bool, err error) {
	if t == nil || t.Introspection == nil || slices.ContainsFunc(job.Assets, ranges.ChangesLength) {
		return farm.Frames{}, false, nil
	}
	name := job.Template.Composition
	if name == "" {
		if name, err = OnlyComposition(*t, c.SummaryFor(ctx)); err != nil || name == "" {
			return farm.Frames{}, false, err
		}
	}
	sum, err := c.Summary(ctx, *t.Introspection)
	if err != nil {
		return farm.Frames{}, false, err
	}
	comp := ranges.Composition(sum, name)
	if comp == nil || comp.RenderFrames == 0 {
		return farm.Frames{}, false, nil
	}
	frames = farm.Frames{Start: comp.RenderStart, End: comp.RenderStart + comp.RenderFrames - 1}
	if asked := job.Settings.Frames; asked != nil {
		frames = farm.Frames{Start: asked.Start, End: min(asked.End, ranges.Length(*comp)-1)}
	}
	return frames, frames.Count() > 0, nil
}
