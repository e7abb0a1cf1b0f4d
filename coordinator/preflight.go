package coordinator

import (
	"context"
	"slices"

	"overcrank/aep"
	"overcrank/coordinator/dispatch"
	"overcrank/farm"
)

// TemplatePreflight is what the embedded engine would draw differently from After Effects of a template's compositions. A font is missing
// that is neither in the library of the caller's team nor on any machine. CodeNotFound while the template has not been looked at: it is
// being read, or an earlier release read it.
func (c *Coordinator) TemplatePreflight(ctx context.Context, p farm.Principal, id string) (*aep.Preflight, error) {
	s, err := c.templates.Introspection(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if s.Preflight == nil {
		return nil, farm.Errorf(farm.CodeNotFound, "template %q was read by an earlier release, which did not check what the embedded engine draws; "+
			"upload its file again (overcrank templates replace)", id)
	}
	lacking, err := c.fonts.Lacking(ctx, p, s.Preflight.Fonts())
	if err != nil {
		return nil, err
	}
	has, err := c.Equipment(ctx, p, lacking, nil, "")
	if err != nil {
		return nil, err
	}
	return s.Preflight.WithFonts(func(name string) bool { return !slices.Contains(lacking, name) || has.Fonts[name] > 0 }), nil
}

// MachinesFor says which machines could render a template of the caller's team; ok is false while nobody can say.
func (c *Coordinator) MachinesFor(ctx context.Context, p farm.Principal, id string) (able dispatch.Able, ok bool, err error) {
	t, err := c.templates.Get(ctx, p, id)
	if err != nil {
		return able, false, err
	}
	names := make([]string, len(t.Fonts))
	for i, font := range t.Fonts {
		names[i] = font.PostScript
	}
	lacking, err := c.fonts.Lacking(ctx, p, names)
	if err != nil {
		return able, false, err
	}
	return c.AbleTo(ctx, p, id, lacking)
}
