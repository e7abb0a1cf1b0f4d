package web

import (
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/api/throttle"
	"overcrank/coordinator/people"
	"overcrank/farm"
	"overcrank/inbound"
	"overcrank/web/page"
)

// longestWayBack is how many bytes an address may have that signing in leads to. Browsers and what stands before a farm refuse much longer ones.
const longestWayBack = 2000

// signInFor is the address of the sign-in page that leads on to a path of this farm.
func signInFor(path string) string {
	if path = localPath(path); path == "/" || len(path) > longestWayBack {
		return "/sign-in"
	}
	return "/sign-in?to=" + url.QueryEscape(path)
}

func (s *server) signInPage(c *fiber.Ctx) error {
	if _, err := s.reader(c); err == nil {
		return c.Redirect(localPath(c.Query("to")), fiber.StatusSeeOther)
	}
	deserted, err := s.farm.people.Deserted()
	if err != nil {
		return err
	}
	bySecret := c.Query("with") == "secret"
	if deserted && !bySecret {
		return s.showNewFarm(c, "")
	}
	return s.showSignIn(c, page.SignInForm{BySecret: bySecret, To: localPath(c.Query("to"))})
}

// showNewFarm shows how a farm is set up that has no people yet.
func (s *server) showNewFarm(c *fiber.Ctx, problem string) error {
	v := page.NewFarmForm{Problem: problem, SignOn: s.signOnLabel()}
	if v.SignOn != "" {
		var err error
		if v.Admits, err = s.farm.people.AdmitsGroups(); err != nil {
			return err
		}
	}
	return s.render(c, page.NewFarm(s.bareShell(c, say(c, "This farm is new")), v))
}

func (s *server) showSignIn(c *fiber.Ctx, v page.SignInForm) error {
	v.SignOn, v.Passkeys = s.signOnLabel(), s.farm.passkeys.Domain()
	return s.render(c, page.SignIn(s.bareShell(c, say(c, "Sign in")), v))
}

// signIn takes a name with a password, or the secret of a token from those who look after the farm.
func (s *server) signIn(c *fiber.Ctx) error {
	if secret := strings.TrimSpace(c.FormValue("token")); secret != "" {
		return s.signInBySecret(c, secret)
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	in := people.Login{
		Name: c.FormValue("name"), Password: c.FormValue("password"), Address: inbound.Caller(request.Origin(c)), Known: c.Cookies(knownCookie),
	}
	p, err := s.farm.people.SignInWithPassword(ctx, in)
	switch farm.CodeOf(err) {
	case farm.CodeUnauthorized, farm.CodeRateLimited:
		s.farm.audit.NoteFailedSignIn(request.Origin(c), err)
		if farm.CodeOf(err) == farm.CodeRateLimited {
			c.Set(fiber.HeaderRetryAfter, throttle.RetryAfter(people.TryPause))
		}
		c.Status(answer.StatusOf(err))
		return s.showSignIn(c, page.SignInForm{Name: in.Name, Problem: sayError(c, err), To: localPath(c.FormValue("to"))})
	}
	if err != nil {
		return err
	}
	s.knowBrowser(c, p)
	return s.begin(c, p.TokenID, localPath(c.FormValue("to")))
}

// knowBrowser lets the browser show later that somebody has signed in there.
func (s *server) knowBrowser(c *fiber.Ctx, p farm.Principal) {
	c.Cookie(&fiber.Cookie{
		Name: knownCookie, Value: s.farm.people.KnownBrowser(p.TokenID), Path: "/sign-in", Expires: time.Now().Add(knownLife),
		HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: c.Secure(),
	})
}

func (s *server) signInBySecret(c *fiber.Ctx, secret string) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	p, err := s.farm.people.Authenticate(ctx, secret)
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		s.farm.audit.NoteFailedSignIn(request.Origin(c), err)
		if wait := s.strangers.Take(inbound.Caller(request.Origin(c)), time.Now()); wait > 0 {
			c.Set(fiber.HeaderRetryAfter, throttle.RetryAfter(wait))
			return farm.Errorf(farm.CodeRateLimited, "too many wrong secrets from this address; try again in a moment")
		}
		c.Status(fiber.StatusUnauthorized)
		const unknown = "The farm does not know this secret, or it has been revoked."
		if c.FormValue("setup") != "" {
			return s.showNewFarm(c, unknown)
		}
		return s.showSignIn(c, page.SignInForm{BySecret: true, Problem: unknown})
	}
	if err != nil {
		return err
	}
	to := "/"
	if c.FormValue("setup") != "" {
		if to, err = s.afterSecret(p); err != nil {
			return err
		}
	}
	return s.begin(c, p.TokenID, to)
}

// lookAtLink shows whom a sign-in link stands for. Looking signs nobody in and does not use the link up: mail gateways and previews
// look at every link that they pass on.
func (s *server) lookAtLink(c *fiber.Ctx) error { return s.showLink(c, "") }

// showLink shows whom a sign-in link stands for, and what was wrong with the password that was chosen.
func (s *server) showLink(c *fiber.Ctx, problem string) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	to := localPath(c.Query("to"))
	now, unknown := s.reader(c)
	p, chooses, err := s.farm.people.LookAtSignIn(ctx, c.Params("code"))
	if unknown == nil && (err == nil && p.TokenID == now.TokenID && !chooses || farm.CodeOf(err) == farm.CodeGone && to != "/") {
		return c.Redirect(to, fiber.StatusSeeOther)
	}
	if err != nil {
		return err
	}
	team, _, err := s.farm.people.Team(ctx, p, p.Team)
	if err != nil {
		return err
	}
	v := page.SignInLink{Action: c.OriginalURL(), Who: p.Name, Team: team.Name, Now: now.Name, Chooses: chooses, Problem: problem}
	return s.render(c, page.SignInByLink(s.bareShell(c, say(c, "Sign in")), v))
}

// signInByLink takes a code that works once. Only this page, or a page of another coordinator that goes on here, may sign a browser in:
// what other sites send is only looked at, so that nobody is signed in as somebody else without being asked.
func (s *server) signInByLink(c *fiber.Ctx) error {
	moved := s.fromThisFarm(c)
	if !moved && !sameOrigin(c) {
		return s.lookAtLink(c)
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	to, code := localPath(c.Query("to")), c.Params("code")
	now, unknown := s.reader(c)
	p, err := s.farm.people.UseSignIn(ctx, code, c.FormValue("password"))
	if farm.CodeOf(err) == farm.CodeInvalid {
		c.Status(answer.StatusOf(err))
		return s.showLink(c, sayError(c, err))
	}
	if farm.CodeOf(err) == farm.CodeGone && to != "/" && unknown == nil {
		return c.Redirect(to, fiber.StatusSeeOther)
	}
	if err != nil {
		return err
	}
	c.Cookie(&fiber.Cookie{Name: movedCookie, Value: code, Path: "/", MaxAge: movedFor, SameSite: fiber.CookieSameSiteLaxMode, Secure: c.Secure()})
	if _, err := s.reader(c); err == nil && unknown == nil && p.TokenID == now.TokenID { // another password has ended the session
		return c.Redirect(to, fiber.StatusSeeOther)
	}
	return s.begin(c, p.TokenID, to)
}

func (s *server) signOut(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.people.EndSession(ctx, p); err != nil {
		return err // the cookie stays, so that it can be tried again
	}
	c.Cookie(&fiber.Cookie{Name: sessionCookie, Path: "/", Expires: time.Unix(0, 0), HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode})
	return c.Redirect("/sign-in", fiber.StatusSeeOther)
}
