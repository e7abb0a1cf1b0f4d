package templates

import (
	"context"
	"slices"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// TakeVersion gives a template the file of one of its earlier versions, by number, as its next version, which is read as one that was uploaded.
// CodeInvalid for a version whose file is not kept.
func (c *Catalog) TakeVersion(ctx context.Context, p farm.Principal, id string, version int) (farm.Template, error) {
	if err := p.May(farm.ActChangeTemplates); err != nil {
		return farm.Template{}, err
	}
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return farm.Template{}, err
	}
	if _, kept := t.AtVersion(version); !kept || t.File == nil {
		return farm.Template{}, farm.Invalid("the template cannot take the version", t.WrongVersion("version", version))
	}
	return c.change(ctx, p, id, command.TakeVersion{Team: p.Team, ID: id, Version: version, At: c.state.Now()})
}

// Changes tells what changed from one version of a template to another, by their numbers; the present one is among them. CodeNotFound for one that
// is not remembered, CodeConflict while the present one has not been read.
func (c *Catalog) Changes(ctx context.Context, p farm.Principal, id string, from, to int) ([]aep.Change, error) {
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return nil, err
	}
	before, err := c.summaryOf(ctx, t, from)
	if err != nil {
		return nil, err
	}
	after, err := c.summaryOf(ctx, t, to)
	if err != nil {
		return nil, err
	}
	return aep.Compare(before, after), nil
}

// summaryOf is what was read of a version of a template.
func (c *Catalog) summaryOf(ctx context.Context, t farm.Template, version int) (*aep.Summary, error) {
	if version == t.VersionNow() {
		if t.Introspection == nil || t.Status != farm.TemplateUploaded {
			return nil, farm.Errorf(farm.CodeConflict, "the template %q is still being read; try again in a moment", t.DisplayName)
		}
		return c.Summary(ctx, *t.Introspection)
	}
	i := slices.IndexFunc(t.Versions, func(v farm.TemplateVersion) bool { return v.Number == version })
	if i < 0 || t.Versions[i].Introspection == nil {
		return nil, farm.Errorf(farm.CodeNotFound, "the template %q has no version %d that is remembered", t.DisplayName, version)
	}
	return c.Summary(ctx, *t.Versions[i].Introspection)
}
