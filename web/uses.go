package web

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// uses is what pages ask of the farm about what jobs use.
type uses interface {
	Uses(ctx context.Context, p farm.Principal, kind farm.UseKind, subject string) ([]farm.Use, error)
}

// usedBy sums up what used something, by the names of templates.
func (s *server) usedBy(ctx context.Context, p farm.Principal, kind farm.UseKind, subject string, names map[string]string) (page.Usage, error) {
	list, err := s.farm.uses.Uses(ctx, p, kind, subject)
	return page.UsageOf(list, time.Now(), func(by string) page.Share {
		if name, known := names[by]; known {
			return page.Share{Name: name, ID: by}
		}
		return page.Share{Name: language.Say(ctx, "jobs without a template, or of one that is gone")}
	}), err
}

// namesOfTemplates are the names of a team's templates by their ids.
func (s *server) namesOfTemplates(ctx context.Context, p farm.Principal) (map[string]string, error) {
	all, err := s.farm.templates.List(ctx, p)
	names := make(map[string]string, len(all))
	for _, t := range all {
		names[t.ID] = t.DisplayName
	}
	return names, err
}

// templateUse is who used a template lately.
func (s *server) templateUse(ctx context.Context, p farm.Principal, id string) (page.Usage, error) {
	list, err := s.farm.uses.Uses(ctx, p, farm.UseTemplate, id)
	return page.UsageOf(list, time.Now(), func(by string) page.Share {
		if by == farm.NoSubject {
			by = language.Say(ctx, "nobody who is known")
		}
		return page.Share{Name: by}
	}), err
}

// comparison is what changed between the two versions of a template that an address names; without one, between the last two.
func (s *server) comparison(ctx context.Context, c *fiber.Ctx, p farm.Principal, t farm.Template) (page.Comparison, error) {
	v := page.Comparison{From: c.QueryInt("from", t.VersionNow()-1), To: c.QueryInt("to", t.VersionNow())}
	if len(t.Versions) == 0 {
		return v, nil
	}
	changes, err := s.farm.templates.Changes(ctx, p, t.ID, v.From, v.To)
	if cannotTell(err) {
		v.Problem = language.ToldError(ctx, err)
		return v, nil
	}
	v.Changes = changes
	return v, err
}

// cannotTell says whether an error is that of versions of which it is not known what changed between them.
func cannotTell(err error) bool {
	code := farm.CodeOf(err)
	return code == farm.CodeNotFound || code == farm.CodeConflict || code == farm.CodeGone
}

// retireTemplate takes a template out of use, or brings it back.
func (s *server) retireTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := s.farm.templates.Retire(ctx, p, c.Params("id"), c.FormValue("retired") != ""); err != nil {
		return err
	}
	return c.Redirect("/templates/"+c.Params("id"), fiber.StatusSeeOther)
}

const (
	missingShown = 100 // fonts
	holdersShown = 5   // templates of one of them
)

// missingFonts are the fonts that templates in use name and that the library lacks, by name.
func (s *server) missingFonts(ctx context.Context, p farm.Principal, list []farm.Template) ([]page.MissingFont, error) {
	holders := map[string][]page.Share{}
	for _, t := range list {
		for _, font := range t.Fonts {
			if t.RetiredAt.IsZero() {
				holders[font.PostScript] = append(holders[font.PostScript], page.Share{Name: t.DisplayName, ID: t.ID})
			}
		}
	}
	missing, err := s.farm.fonts.Lacking(ctx, p, slices.Sorted(maps.Keys(holders)))
	if err != nil {
		return nil, err
	}
	var out []page.MissingFont
	for _, name := range missing[:min(len(missing), missingShown)] {
		all := holders[name]
		shown := min(len(all), holdersShown)
		out = append(out, page.MissingFont{Name: name, Templates: all[:shown], More: len(all) - shown})
	}
	return out, nil
}

// addVersion says which version of its template a job renders, and what has changed since.
func (s *server) addVersion(ctx context.Context, p farm.Principal, v *page.JobView) error {
	id := v.Job.Job.Template.ID
	if id == "" {
		return nil
	}
	t, err := s.farm.templates.Get(ctx, p, id)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil // it was deleted
	}
	if err != nil {
		return err
	}
	v.Version, v.VersionNow = t.VersionFor(v.Job.Job), t.VersionNow()
	if v.Version == 0 || v.Version == v.VersionNow {
		return nil
	}
	changes, err := s.farm.templates.Changes(ctx, p, id, v.Version, v.VersionNow)
	if cannotTell(err) {
		return nil
	}
	if err != nil {
		return err
	}
	v.Since = append([]aep.Change{}, changes...) // not nil: it can be told
	return nil
}
