package web

import (
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/coordinator/reviews"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// mostTeamName bounds the name of a team, in bytes, as the interface does.
const mostTeamName = 255

// studio shows what clients see of the team: its name and its logo.
func (s *server) studio(c *fiber.Ctx, p farm.Principal) error {
	return s.showStudio(c, p, page.Studio{})
}

func (s *server) showStudio(c *fiber.Ctx, p farm.Principal, v page.Studio) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	team, _, err := s.farm.people.Team(ctx, p, p.Team)
	if err != nil {
		return err
	}
	if v.Logo, err = s.farm.reviews.HasLogo(ctx, p); err != nil {
		return err
	}
	v.Team = team.Name
	if v.Problem == "" {
		v.Name = team.Name
	}
	shell := s.shell(c, p, say(c, "Studio"), "settings")
	shell.Setting = "studio"
	return s.render(c, page.StudioPage(shell, v))
}

// nameStudio gives the team another name.
func (s *server) nameStudio(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	name := strings.TrimSpace(c.FormValue("name"))
	if name == "" || len(name) > mostTeamName {
		c.Status(fiber.StatusBadRequest)
		return s.showStudio(c, p, page.Studio{Name: name, Problem: say(c, "the name needs 1 to %d characters", mostTeamName)})
	}
	_, _, err := s.farm.people.RenameTeam(ctx, p, p.Team, name)
	switch farm.CodeOf(err) {
	case farm.CodeInvalid, farm.CodeConflict:
		c.Status(answer.StatusOf(err))
		return s.showStudio(c, p, page.Studio{Name: name, Problem: refusal(c, err, ofStudio)})
	}
	if err != nil {
		return err
	}
	return c.Redirect("/settings/studio", fiber.StatusSeeOther)
}

// ofStudio begins the sentence that says what is wrong with the studio's one field.
func ofStudio(string) string { return language.Text("The name %s") }

// logo gives the team's logo as review pages show it.
func (s *server) logo(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	picture, err := s.farm.reviews.Logo(ctx, p)
	if err != nil {
		return err
	}
	c.Type("png")
	return c.Send(picture)
}

// setLogo takes a picture as the request's body; the page's script sends it.
func (s *server) setLogo(c *fiber.Ctx, p farm.Principal) error {
	body, _, err := request.Body(c, reviews.MostLogoSent)
	if err != nil {
		return err
	}
	picture, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if len(picture) == 0 {
		return farm.Errorf(farm.CodeInvalid, "this file is empty")
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.reviews.SetLogo(ctx, p, picture); err != nil {
		return err
	}
	return c.SendStatus(fiber.StatusNoContent)
}

// removeLogo has review pages show the team's name instead.
func (s *server) removeLogo(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.reviews.SetLogo(ctx, p, nil); err != nil {
		return err
	}
	return c.Redirect("/settings/studio", fiber.StatusSeeOther)
}
