package web

import (
	"context"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator/people"
	"overcrank/farm"
	"overcrank/web/page"
)

// settings leads to what the reader may look after.
func (s *server) settings(c *fiber.Ctx, p farm.Principal) error {
	to := "/settings/fonts"
	if p.Can(farm.ActManageTokens) {
		to = "/settings/api-tokens"
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// holders tells which half of the tokens an address is about.
func holders(c *fiber.Ctx) (people bool) { return strings.HasPrefix(c.Path(), "/settings/people") }

func (s *server) tokens(c *fiber.Ctx, p farm.Principal) error {
	v := page.Tokens{People: holders(c)}
	if v.People {
		v.Team.ID = c.Query("team")
		if err := s.readMoved(c, p, &v); err != nil {
			return err
		}
	}
	return s.showTokens(c, p, v)
}

// readMoved reads who has just been moved to another team, where the address says so.
func (s *server) readMoved(c *fiber.Ctx, p farm.Principal, v *page.Tokens) error {
	id := c.Query("moved")
	if id == "" {
		return nil
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	person, err := s.farm.people.Token(ctx, p, id, true)
	if farm.CodeOf(err) == farm.CodeNotFound { // removed meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	v.Moved = &person
	v.MovedTo, _, err = s.farm.people.Team(ctx, p, person.Team)
	return err
}

// peopleOf is where the people of a team are listed.
func peopleOf(p farm.Principal, team string) string {
	if team == p.Team {
		return "/settings/people"
	}
	return "/settings/people?team=" + team
}

// showTokens shows the tokens of programs or of people, with what has just been made.
func (s *server) showTokens(c *fiber.Ctx, p farm.Principal, v page.Tokens) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	var err error
	if v.Team.ID == p.Team {
		v.Team.ID = ""
	}
	if v.All, err = s.farm.people.Tokens(ctx, p, v.Team.ID, v.People); err != nil {
		return err
	}
	if v.Team.ID != "" {
		if v.Team, _, err = s.farm.people.Team(ctx, p, v.Team.ID); err != nil {
			return err
		}
	}
	v.Now, v.Own = time.Now(), p.TokenID
	title, active := say(c, "API tokens"), "tokens"
	if v.People {
		title, active = say(c, "People"), "people"
		if v.WaysIn, err = s.farm.people.WaysIn(ctx, p, tokenIDs(v.All)); err != nil {
			return err
		}
		v.SignOn = s.signOnName()
	}
	shell := s.shell(c, p, title, "settings")
	shell.Setting = active
	return s.render(c, page.TokensPage(shell, v))
}

// makeToken makes a token. The page that answers is the only one that ever shows its secret, so it is no redirect.
func (s *server) makeToken(c *fiber.Ctx, p farm.Principal) error {
	v := page.Tokens{People: holders(c), Name: strings.TrimSpace(c.FormValue("name")), Email: c.FormValue("email"), Role: farm.Role(c.FormValue("role")), Life: c.FormValue("life")}
	if v.People {
		v.Team.ID = c.FormValue("team")
	}
	if v.Name == "" {
		v.Error = say(c, "a name is needed")
		c.Status(fiber.StatusBadRequest)
		return s.showTokens(c, p, v)
	}
	until, err := lifeEnd(v.Life, time.Now())
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	token, secret, err := s.farm.people.MakeToken(ctx, p, people.NewToken{Team: v.Team.ID, Name: v.Name, Role: v.Role, ExpiresAt: until, Person: v.People, Email: v.Email})
	if code := farm.CodeOf(err); code == farm.CodeInvalid || code == farm.CodeForbidden || code == farm.CodeConflict {
		v.Error = sayError(c, err)
		c.Status(answer.StatusOf(err))
		return s.showTokens(c, p, v)
	}
	if err != nil {
		return err
	}
	if v.People {
		return s.invited(ctx, c, p, token.ID)
	}
	return s.showTokens(c, p, page.Tokens{Made: &token, Secret: secret})
}

// lifeEnd is when something ends that lives for a time which the form offers, zero for never.
func lifeEnd(life string, now time.Time) (time.Time, error) {
	for _, l := range page.Lives {
		if l.Name == life {
			if l.Days == 0 {
				return time.Time{}, nil
			}
			return now.AddDate(0, 0, l.Days), nil
		}
	}
	return time.Time{}, farm.Invalid("this lifetime is not offered", farm.Field("life", "is not known"))
}

// resetPerson makes a link for a person who is signed out everywhere, and whose password is good no more.
func (s *server) resetPerson(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.people.ResetPassword(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return s.invited(ctx, c, p, c.Params("id"))
}

// invite makes another link for a person.
func (s *server) invite(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	return s.invited(ctx, c, p, c.Params("id"))
}

func (s *server) invited(ctx context.Context, c *fiber.Ctx, p farm.Principal, id string) error {
	link, err := s.farm.people.InvitePerson(ctx, p, id)
	if farm.CodeOf(err) == farm.CodeConflict { // the access has ended
		return s.refused(c, p, id, err)
	}
	if err != nil {
		return err
	}
	person, err := s.farm.people.Token(ctx, p, id, true)
	if err != nil {
		return err
	}
	v := page.Tokens{People: true, Made: &person, Secret: s.signInLink(link.Code), Until: link.Until}
	v.Team.ID = person.Team
	return s.showTokens(c, p, v)
}

// signInLink is where somebody gets in with a code.
func (s *server) signInLink(code string) string { return s.farm.publicAddress() + "/sign-in/" + code }

func tokenIDs(tokens []farm.Token) []string {
	ids := make([]string, len(tokens))
	for i, t := range tokens {
		ids[i] = t.ID
	}
	return ids
}

// removePasskeyOf takes a passkey of somebody else away, whose device is lost.
func (s *server) removePasskeyOf(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	err := s.farm.people.RemovePasskeyOf(ctx, p, c.Params("id"), c.Params("passkey"))
	if farm.CodeOf(err) == farm.CodeConflict {
		return s.refused(c, p, c.Params("id"), err)
	}
	if err != nil {
		return err
	}
	person, err := s.farm.people.Token(ctx, p, c.Params("id"), true)
	if err != nil {
		return err
	}
	return c.Redirect(peopleOf(p, person.Team)+"#token-"+person.ID, fiber.StatusSeeOther)
}

// refused shows the people of somebody's team as they are, and why nothing was changed of this one.
func (s *server) refused(c *fiber.Ctx, p farm.Principal, id string, why error) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	person, err := s.farm.people.Token(ctx, p, id, true)
	if err != nil {
		return err
	}
	v := page.Tokens{People: true, Problem: sayError(c, why)}
	v.Team.ID = person.Team
	c.Status(answer.StatusOf(why))
	return s.showTokens(c, p, v)
}

func (s *server) revokeToken(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	token, err := s.farm.people.Token(ctx, p, c.Params("id"), holders(c))
	if err != nil {
		return err
	}
	if err := s.farm.people.RevokeToken(ctx, p, token.ID, token.Person); err != nil {
		return err
	}
	if token.Person {
		return c.Redirect(peopleOf(p, token.Team), fiber.StatusSeeOther)
	}
	return c.Redirect(strings.TrimSuffix(c.Path(), "/"+token.ID+"/revoke"), fiber.StatusSeeOther)
}

func (s *server) secrets(c *fiber.Ctx, p farm.Principal) error {
	return s.showSecrets(c, p, page.Secrets{})
}

func (s *server) showSecrets(c *fiber.Ctx, p farm.Principal, v page.Secrets) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	var err error
	if v.All, err = s.farm.secrets.List(ctx, p); err != nil {
		return err
	}
	names, err := s.namesOfTemplates(ctx, p)
	if err != nil {
		return err
	}
	v.Uses = make(map[string]page.Usage, len(v.All))
	for _, secret := range v.All {
		if v.Uses[secret.Name], err = s.usedBy(ctx, p, farm.UseSecret, secret.Name, names); err != nil {
			return err
		}
	}
	shell := s.shell(c, p, say(c, "Secrets"), "settings")
	shell.Setting = "secrets"
	return s.render(c, page.SecretsPage(shell, v))
}

func (s *server) addSecret(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	v := page.Secrets{Name: strings.TrimSpace(c.FormValue("name")), MachineTags: c.FormValue("machineTags")}
	_, err := s.farm.secrets.Put(ctx, p, v.Name, farm.NewConfidential(c.FormValue("value")), words(v.MachineTags))
	if code := farm.CodeOf(err); code == farm.CodeInvalid || code == farm.CodeConflict {
		v.Error = sayError(c, err)
		c.Status(answer.StatusOf(err))
		return s.showSecrets(c, p, v)
	}
	if err != nil {
		return err
	}
	return c.Redirect("/settings/secrets", fiber.StatusSeeOther)
}

func (s *server) deleteSecret(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.secrets.Delete(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return c.Redirect("/settings/secrets", fiber.StatusSeeOther)
}

func (s *server) webhooks(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	key, err := s.farm.webhooks.Key(ctx, p)
	if err != nil {
		return err
	}
	shell := s.shell(c, p, say(c, "Webhooks"), "settings")
	shell.Setting = "webhooks"
	return s.render(c, page.WebhooksPage(shell, key))
}

func (s *server) renewWebhookKey(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := s.farm.webhooks.RenewKey(ctx, p); err != nil {
		return err
	}
	return c.Redirect("/settings/webhooks", fiber.StatusSeeOther)
}
