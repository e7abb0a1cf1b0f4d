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

// Changes tells what changed when an earlier version of a template, by its number, gave way to the next one. CodeNotFound for a version
// that is not remembered, CodeConflict while the next one has not been read.
func (c *Catalog) Changes(ctx context.Context, p farm.Principal, id string, version int) ([]aep.Change, error) {
	t, i, err := c.version(ctx, p, id, version)
	if err != nil {
		return nil, err
	}
	next := t.Introspection
	if i+1 < len(t.Versions) {
		next = t.Versions[i+1].Introspection
	}
	return c.compare(ctx, t, *t.Versions[i].Introspection, next, i+1 == len(t.Versions))
}

// ChangesSince tells what has changed from an earlier version of a template, by its number, until now. Its errors are those of Changes.
func (c *Catalog) ChangesSince(ctx context.Context, p farm.Principal, id string, version int) ([]aep.Change, error) {
	t, i, err := c.version(ctx, p, id, version)
	if err != nil {
		return nil, err
	}
	return c.compare(ctx, t, *t.Versions[i].Introspection, t.Introspection, true)
}

// version finds an earlier version of a template that was read.
func (c *Catalog) version(ctx context.Context, p farm.Principal, id string, version int) (farm.Template, int, error) {
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return t, 0, err
	}
	i := slices.IndexFunc(t.Versions, func(v farm.TemplateVersion) bool { return v.Number == version })
	if i < 0 || t.Versions[i].Introspection == nil {
		return t, 0, farm.Errorf(farm.CodeNotFound, "the template %q has no version %d that is remembered", t.DisplayName, version)
	}
	return t, i, nil
}

// compare tells what changed from one introspection of a template to another; current says that the other is of its present file.
func (c *Catalog) compare(ctx context.Context, t farm.Template, from farm.FileRef, to *farm.FileRef, current bool) ([]aep.Change, error) {
	if to == nil || current && t.Status != farm.TemplateUploaded {
		return nil, farm.Errorf(farm.CodeConflict, "the template %q is still being read; try again in a moment", t.DisplayName)
	}
	before, err := c.Summary(ctx, from)
	if err != nil {
		return nil, err
	}
	after, err := c.Summary(ctx, *to)
	if err != nil {
		return nil, err
	}
	return aep.Compare(before, after), nil
}
