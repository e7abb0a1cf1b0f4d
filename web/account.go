package web

import (
	"cmp"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/coordinator/people"
	"overcrank/farm"
	"overcrank/inbound"
	"overcrank/web/page"
)

func (s *server) account(c *fiber.Ctx, p farm.Principal) error {
	return s.showAccount(c, p, page.Account{Changed: c.Query("password") == "changed", PasskeyAdded: c.Query("passkey") == "added"})
}

func (s *server) showAccount(c *fiber.Ctx, p farm.Principal, v page.Account) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	account, err := s.farm.people.Account(ctx, p)
	if err != nil {
		return err
	}
	team, _, err := s.farm.people.Team(ctx, p, p.Team)
	if err != nil {
		return err
	}
	if err := s.noticesOf(c, p, &v); err != nil {
		return err
	}
	v.Language = cmp.Or(farm.KnownLanguage(string(greeted(c).Language)), farm.KnownLanguage(c.Cookies(languageCookie)))
	v.PasskeyDomain, v.PasskeyFresh = s.farm.passkeys.Domain(), s.farm.passkeys.MayAdd(ctx, p)
	v.Account, v.Team, v.Here, v.Now = account, team.Name, p.Session.ID, time.Now()
	return s.render(c, page.AccountPage(s.shell(c, p, say(c, "Your account"), ""), v))
}

// changePassword ends all other sessions of the reader besides.
func (s *server) changePassword(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	err := s.farm.people.ChangePassword(ctx, p, people.PasswordChange{
		Now: c.FormValue("current"), New: c.FormValue("password"), Address: inbound.Caller(request.Origin(c)),
	})
	switch farm.CodeOf(err) {
	case farm.CodeForbidden:
		c.Status(answer.StatusOf(err))
		return s.showAccount(c, p, page.Account{WrongNow: sayError(c, err)})
	case farm.CodeInvalid, farm.CodeRateLimited, farm.CodeConflict:
		c.Status(answer.StatusOf(err))
		return s.showAccount(c, p, page.Account{Problem: sayError(c, err)})
	}
	if err != nil {
		return err
	}
	return c.Redirect("/account?password=changed", fiber.StatusSeeOther)
}

// endSession signs one browser of the reader's out.
func (s *server) endSession(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.people.EndOwnSessions(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return c.Redirect("/account", fiber.StatusSeeOther)
}

// endSessions signs the reader out in all browsers, this one included.
func (s *server) endSessions(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.people.EndOwnSessions(ctx, p, ""); err != nil {
		return err
	}
	return c.Redirect("/sign-in", fiber.StatusSeeOther)
}
