package submission

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/farm"
)

// lacksNamed is how many missing files are named for one job.
const lacksNamed = 20

// checkFootage looks whether a job brings the files that its composition shows and that did not come with the template. Programs
// may know better than the farm, so without Strict such a job is taken, with warnings; so is one that asks for colour bars.
func (p *plan) checkFootage(ctx context.Context, job *farm.Job, t *farm.Template) error {
	if t.Introspection == nil || job.Template.Composition == "" {
		return nil
	}
	sum, err := p.summary(ctx, *t.Introspection)
	if err != nil {
		return err
	}
	lacks := lacking(sum, *job)
	if len(lacks) == 0 {
		return nil
	}
	var fields []farm.FieldError
	for _, l := range lacks[:min(len(lacks), lacksNamed)] {
		words := fmt.Sprintf("the template “%s” has no file %q for layer '%s' in composition '%s'", t.DisplayName, l.File, l.Layer, l.Composition)
		if job.Settings.MissingFootage == farm.FootageBars {
			job.Warnings = append(slices.Clip(job.Warnings), "T"+words[1:]+": colour bars are drawn in its place")
			continue
		}
		if !job.Strict {
			job.Warnings = append(slices.Clip(job.Warnings), "T"+words[1:]+", and the job brings none: the render is likely to fail")
		}
		fields = append(fields, farm.Field("assets", "the template “%s” has no file %q for layer '%s' in composition '%s'; give that layer a file, or upload the template with all of its footage",
			t.DisplayName, l.File, l.Layer, l.Composition))
	}
	if job.Strict && len(fields) > 0 {
		return farm.Invalid("footage is missing", fields...)
	}
	return nil
}

// lacking are the missing files that a job's composition shows and that none of its assets stands in for. It is empty where that
// cannot be told: a script may bring any file, and hide any layer.
func lacking(sum *aep.Summary, job farm.Job) []aep.Lack {
	if !tellsLacks(job) {
		return nil
	}
	return slices.DeleteFunc(sum.Lacks(job.Template.Composition), func(l aep.Lack) bool {
		return slices.ContainsFunc(job.Assets, func(a farm.Asset) bool { return fills(a, l) })
	})
}

// tellsLacks says whether a job's assets tell which files it brings, and for which layers.
func tellsLacks(job farm.Job) bool {
	return !slices.ContainsFunc(job.Assets, func(a farm.Asset) bool {
		switch a.Type {
		case "script", "function", "static", "essential":
			return true
		}
		return a.MayRefer() && (strings.Contains(a.LayerName, "${") || strings.Contains(a.Composition, "${"))
	})
}

// fills tells whether an asset may give a layer its file. Which of several compositions of a name is meant is not looked at.
func fills(a farm.Asset, l aep.Lack) bool {
	switch a.Type {
	case "image", "video", "audio", "job":
	default:
		return false
	}
	if a.LayerName == "" {
		return a.LayerIndex == l.Index
	}
	return strings.EqualFold(a.LayerName, l.Layer)
}
