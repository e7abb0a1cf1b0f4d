package templates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/farm/names"
)

// Introspection is what reading a template's file found; CodeNotFound while it has not been read.
func (c *Catalog) Introspection(ctx context.Context, p farm.Principal, id string) (*aep.Summary, error) {
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if t.Status == farm.TemplateError {
		return nil, farm.Errorf(farm.CodeInvalid, "template %q could not be read: %s", t.DisplayName, t.Error)
	}
	if t.Introspection == nil {
		return nil, farm.Errorf(farm.CodeNotFound, "template %q has not been read: it is %s", t.DisplayName, t.Status)
	}
	return c.Summary(ctx, *t.Introspection)
}

// Summary reads a kept introspection. What it gives is shared: nobody may change it.
func (c *Catalog) Summary(ctx context.Context, ref farm.FileRef) (*aep.Summary, error) {
	if s, found := c.summaries.Get(ref.SHA256); found {
		return s, nil
	}
	key, err := files.BlobKey(ref.SHA256)
	if err != nil {
		return nil, err
	}
	text, err := files.ReadAll(ctx, c.files, key)
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeGone, "what was read of a template is no longer kept; register the template again")
	}
	if err != nil {
		return nil, fmt.Errorf("reading a kept introspection: %w", err)
	}
	var s aep.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("reading a kept introspection: %w", err)
	}
	c.summaries.Put(ref.SHA256, ref.Size, &s)
	return &s, nil
}

// InMemory says whether Summary gives a kept introspection without asking the storage.
func (c *Catalog) InMemory(ref farm.FileRef) bool {
	_, found := c.summaries.Get(ref.SHA256)
	return found
}

// SummaryFor is Summary for who waits no longer than ctx lasts.
func (c *Catalog) SummaryFor(ctx context.Context) func(farm.FileRef) (*aep.Summary, error) {
	return func(ref farm.FileRef) (*aep.Summary, error) { return c.Summary(ctx, ref) }
}

// OnlyComposition is the composition that a job means when it names none: the single root composition. It is "" for a motion graphics
// template, which says itself which one it is, and for a template that has not been read.
func OnlyComposition(t farm.Template, summary func(farm.FileRef) (*aep.Summary, error)) (string, error) {
	if t.Type == aep.TypeMogrt || t.Introspection == nil {
		return "", nil
	}
	s, err := summary(*t.Introspection)
	if err != nil {
		return "", err
	}
	var roots []string
	for _, comp := range s.Compositions {
		if comp.Root {
			roots = append(roots, comp.Name)
		}
	}
	switch len(roots) {
	case 1:
		return roots[0], nil
	case 0:
		return "", farm.Errorf(farm.CodeInvalid, "template %q has no composition to render", t.DisplayName)
	}
	return "", farm.Invalid("the job names no composition, and the template has several", farm.Field("template.composition", "must be one of %s", names.Quoted(roots)))
}
