package web

import (
	"context"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/library"
	"overcrank/farm"
	"overcrank/web/page"
)

// standIns are the fonts of the library that can stand in for others.
func (s *server) standIns(ctx context.Context, p farm.Principal) (page.StandIns, error) {
	list, err := s.farm.fonts.List(ctx, p)
	return page.StandInsOf(list), err
}

// standIn has the font of the library with a PostScript name stand in for one that it lacks.
func (s *server) standIn(ctx context.Context, p farm.Principal, postScript, missing string) (farm.Font, error) {
	list, err := s.farm.fonts.List(ctx, p)
	if err != nil {
		return farm.Font{}, err
	}
	id, face, found := library.FaceNamed(list, postScript)
	if !found {
		return farm.Font{}, farm.Errorf(farm.CodeNotFound, "the library has no font '%s'; choose one of those that the field proposes, or add it to the library first", postScript)
	}
	return s.farm.fonts.StandIn(ctx, p, id, face, missing)
}

// addStandIn has a font stand in for a missing one, and shows it in the library, or the template that lacks it.
func (s *server) addStandIn(c *fiber.Ctx, p farm.Principal) error {
	font, err := s.standIn(s.asking(c), p, c.FormValue("font"), c.FormValue("name"))
	if err != nil {
		return err
	}
	if template := c.FormValue("template"); template != "" {
		return c.Redirect("/templates/"+url.PathEscape(template), fiber.StatusSeeOther)
	}
	return c.Redirect("/settings/fonts#font-"+font.ID, fiber.StatusSeeOther)
}

// addCure adds to causes for want of a font what else the library has, and whether it still lacks the font.
func (s *server) addCure(ctx context.Context, p farm.Principal, v *page.Failures) (err error) {
	for i := range v.Groups {
		cause := v.Groups[i].Cause
		if cause.Kind != farm.CauseFont || cause.Subject == "" {
			continue
		}
		if v.Groups[i].Lacks, err = s.farm.fonts.Lacks(ctx, p, cause.Subject); err != nil {
			return err
		}
		if v.Groups[i].Lacks && v.StandIns == nil {
			if v.StandIns, err = s.standIns(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// standInForCause has a font of the library stand in for the one that jobs failed for.
func (s *server) standInForCause(ctx context.Context, p farm.Principal, cause farm.Cause, postScript string) error {
	if cause.Kind != farm.CauseFont || cause.Subject == "" {
		return farm.Invalid("the jobs were not submitted", farm.Field("font", "stands in for a missing font, and that is not why these jobs failed"))
	}
	_, err := s.standIn(ctx, p, postScript, cause.Subject)
	return err
}
