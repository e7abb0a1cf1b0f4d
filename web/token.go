package web

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/people"
	"overcrank/farm"
	"overcrank/web/page"
)

// token shows the form that changes a token, or a person.
func (s *server) token(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	token, err := s.farm.people.Token(ctx, p, c.Params("id"), holders(c))
	if err != nil {
		return err
	}
	return s.showToken(ctx, c, p, page.FormOf(token, time.Now()))
}

func (s *server) showToken(ctx context.Context, c *fiber.Ctx, p farm.Principal, form page.TokenForm) error {
	shell := s.shell(c, p, form.Token.Name, "settings")
	shell.Setting = "tokens"
	if form.Token.Person {
		shell.Setting = "people"
		ways, err := s.farm.people.WaysIn(ctx, p, []string{form.Token.ID})
		if err != nil {
			return err
		}
		for _, issuer := range ways[form.Token.ID].Providers {
			form.SignOn = append(form.SignOn, s.signOnName().Of(issuer))
		}
		if err := s.readTeamsOf(ctx, p, &form); err != nil {
			return err
		}
	}
	return s.render(c, page.TokenPage(shell, form))
}

// readTeamsOf reads the teams into which the reader may bring a person. Nobody moves themselves.
func (s *server) readTeamsOf(ctx context.Context, p farm.Principal, form *page.TokenForm) error {
	teams, _, err := s.farm.people.Teams(ctx, p)
	if err != nil {
		return err
	}
	for _, team := range teams {
		if team.ID == form.Token.Team {
			form.TeamNow = team.Name
		}
	}
	if p.Can(farm.ActManageTeams) && form.Token.ID != p.TokenID && len(teams) > 1 {
		form.Teams = teams
	}
	return nil
}

// changeToken saves what the form holds, or shows why it is refused.
func (s *server) changeToken(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	token, err := s.farm.people.Token(ctx, p, c.Params("id"), holders(c))
	if err != nil {
		return err
	}
	form := page.FormOf(token, time.Now())
	form.Name, form.Email = strings.TrimSpace(c.FormValue("name")), strings.TrimSpace(c.FormValue("email"))
	form.Role, form.Life = farm.Role(c.FormValue("role")), c.FormValue("life")
	form.Team = cmp.Or(c.FormValue("team"), form.Team)
	if form.Name == "" {
		form.Error = say(c, "a name is needed")
		c.Status(fiber.StatusBadRequest)
		return s.showToken(ctx, c, p, form)
	}
	change, err := changeOf(form)
	if err != nil {
		return err
	}
	changed, err := s.farm.people.ChangeToken(ctx, p, token.ID, token.Person, change)
	if code := farm.CodeOf(err); code == farm.CodeInvalid || code == farm.CodeForbidden || code == farm.CodeConflict {
		form.Error = sayError(c, err)
		c.Status(answer.StatusOf(err))
		return s.showToken(ctx, c, p, form)
	}
	if err != nil {
		return err
	}
	switch {
	case changed.Team != token.Team:
		to := peopleOf(p, token.Team)
		if strings.Contains(to, "?") {
			return c.Redirect(to+"&moved="+token.ID, fiber.StatusSeeOther)
		}
		return c.Redirect(to+"?moved="+token.ID, fiber.StatusSeeOther)
	case token.Person:
		return c.Redirect(peopleOf(p, token.Team)+"#token-"+token.ID, fiber.StatusSeeOther)
	}
	return c.Redirect(strings.TrimSuffix(c.Path(), "/"+token.ID)+"#token-"+token.ID, fiber.StatusSeeOther)
}

// changeOf is what a form changes of its token: what it leaves as it is, others may change meanwhile.
func changeOf(form page.TokenForm) (people.TokenChange, error) {
	var change people.TokenChange
	if form.Name != form.Token.Name {
		change.Name = &form.Name
	}
	if form.Email != form.Token.Email {
		change.Email = &form.Email
	}
	if form.Team != form.Token.Team {
		change.Team = &form.Team
	}
	if form.Role != form.Token.Role {
		change.Role = &form.Role
	}
	if !page.Keeps(form.Life) {
		until, err := lifeEnd(form.Life, form.Now)
		if err != nil {
			return change, err
		}
		change.ExpiresAt = &until
	}
	return change, nil
}
