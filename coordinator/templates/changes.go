package templates

import (
	"context"
	"slices"

	"overcrank/aep"
	"overcrank/farm"
)

// Changes tells what changed when an earlier version of a template, by its number, gave way to the next one. CodeNotFound for a version
// that is not remembered, CodeConflict while the next one has not been read.
func (c *Catalog) Changes(ctx context.Context, p farm.Principal, id string, version int) ([]aep.Change, error) {
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(t.Versions, func(v farm.TemplateVersion) bool { return v.Number == version })
	if i < 0 || t.Versions[i].Introspection == nil {
		return nil, farm.Errorf(farm.CodeNotFound, "the template %q has no version %d that is remembered", t.DisplayName, version)
	}
	next := t.Introspection
	if i+1 < len(t.Versions) {
		next = t.Versions[i+1].Introspection
	}
	if next == nil || i+1 == len(t.Versions) && t.Status != farm.TemplateUploaded {
		return nil, farm.Errorf(farm.CodeConflict, "the template %q is still being read; try again in a moment", t.DisplayName)
	}
	before, err := c.Summary(ctx, *t.Versions[i].Introspection)
	if err != nil {
		return nil, err
	}
	after, err := c.Summary(ctx, *next)
	if err != nil {
		return nil, err
	}
	return aep.Compare(before, after), nil
}
