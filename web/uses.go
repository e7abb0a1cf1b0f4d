package web

import (
	"context"
	"maps"
	"slices"
	"strconv"
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

// editions are the earlier versions of a template, the newest first. Of one of them it says what changed after it: of the newest, or of that
// whose number is asked for.
func (s *server) editions(ctx context.Context, c *fiber.Ctx, p farm.Principal, t farm.Template) ([]page.Edition, error) {
	wanted, _ := strconv.Atoi(c.Query("version")) // what is not a number names no version
	if !slices.ContainsFunc(t.Versions, func(v farm.TemplateVersion) bool { return v.Number == wanted }) && len(t.Versions) > 0 {
		wanted = t.Versions[len(t.Versions)-1].Number
	}
	var out []page.Edition
	for _, v := range slices.Backward(t.Versions) {
		e := page.Edition{TemplateVersion: v}
		if v.Number == wanted {
			changes, err := s.farm.templates.Changes(ctx, p, t.ID, v.Number)
			if code := farm.CodeOf(err); err != nil && code != farm.CodeConflict && code != farm.CodeNotFound {
				return nil, err
			}
			e.Shown = err == nil
			e.Changes = changes
		}
		out = append(out, e)
	}
	return out, nil
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
	changes, err := s.farm.templates.ChangesSince(ctx, p, id, v.Version)
	if code := farm.CodeOf(err); code == farm.CodeNotFound || code == farm.CodeConflict || code == farm.CodeGone {
		return nil // it cannot be told
	}
	if err != nil {
		return err
	}
	v.Since = append([]aep.Change{}, changes...) // not nil: it can be told
	return nil
}
