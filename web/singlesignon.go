package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/coordinator/people"
	"overcrank/coordinator/singlesignon"
	"overcrank/farm"
	"overcrank/inbound"
	"overcrank/web/language"
	"overcrank/web/page"
)

const (
	// signOnCookie is a sign-in under way at the provider, sealed. Only the browser that began it has it.
	signOnCookie = "overcrank_sign_on"
	signOnPath   = "/single-sign-on"
)

var errNoSignOn = farm.Errorf(farm.CodeNotFound, "this farm has no single sign-on")

// signOnLabel is what people call the account with which they sign in besides a password, "" for none.
func (s *server) signOnLabel() string {
	if s.farm.signOn == nil {
		return ""
	}
	return s.farm.signOn.Settings().Label
}

// signOnName is the farm's provider and what people call it.
func (s *server) signOnName() page.SignOnName {
	if s.farm.signOn == nil {
		return page.SignOnName{}
	}
	settings := s.farm.signOn.Settings()
	return page.SignOnName{Issuer: settings.Issuer, Label: settings.Label}
}

// beginSignOn sends a browser to the provider. Another site may send it here too: whoever comes back is who they say they are.
func (s *server) beginSignOn(c *fiber.Ctx) error {
	return s.toProvider(c, localPath(c.Query("to")), false)
}

// testSignOn sends a browser to the provider only to see what it says.
func (s *server) testSignOn(c *fiber.Ctx, _ farm.Principal) error { return s.toProvider(c, "/", true) }

func (s *server) toProvider(c *fiber.Ctx, to string, test bool) error {
	if s.farm.signOn == nil {
		return errNoSignOn
	}
	// The provider sends everybody back to the farm's public address, and the cookie has to be there.
	if public, err := url.Parse(s.farm.publicAddress()); err == nil && public.Host != string(c.Request().URI().Host()) && c.Query("at") == "" {
		return c.Redirect(s.farm.publicAddress()+c.Path()+"?"+url.Values{"at": {"public"}, "to": {to}}.Encode(), fiber.StatusSeeOther)
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	address, kept, until, err := s.farm.signOn.Begin(ctx, to, test)
	if err != nil {
		return s.signOnProblem(c, err)
	}
	c.Cookie(&fiber.Cookie{
		Name: signOnCookie, Value: kept, Path: signOnPath, Expires: until, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: c.Secure(),
	})
	return c.Redirect(address, fiber.StatusSeeOther)
}

// finishSignOn takes a browser back from the provider.
func (s *server) finishSignOn(c *fiber.Ctx) error {
	if s.farm.signOn == nil {
		return errNoSignOn
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	kept := c.Cookies(signOnCookie)
	c.Cookie(&fiber.Cookie{Name: signOnCookie, Path: signOnPath, Expires: time.Unix(0, 0), HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode, Secure: c.Secure()})
	arrival, err := s.farm.signOn.Finish(ctx, singlesignon.Return{
		State: c.Query("state"), Code: c.Query("code"), Error: c.Query("error"), Issuer: c.Query("iss"), Kept: kept,
	})
	if err != nil {
		return s.signOnProblem(c, err)
	}
	if arrival.Test {
		return s.showSignOnTest(c, arrival)
	}
	p, err := s.farm.people.Enter(ctx, people.Visitor{
		Issuer: arrival.Issuer, Subject: arrival.Subject, Name: arrival.Name, Email: arrival.Email, Groups: arrival.Groups, Use: arrival.Use,
	})
	if farm.CodeOf(err) == farm.CodeForbidden && arrival.TooMany {
		err = farm.Errorf(farm.CodeForbidden, "your account is in so many groups that the provider names none of them here; ask an administrator, who finds the way out in the manual under single sign-on")
	}
	if err != nil {
		return s.signOnProblem(c, err)
	}
	return s.begin(c, p.TokenID, localPath(arrival.To))
}

// signOnProblem says why somebody was not signed in, and what to do.
func (s *server) signOnProblem(c *fiber.Ctx, err error) error {
	status := answer.StatusOf(err)
	if status == fiber.StatusInternalServerError {
		return err
	}
	if code := farm.CodeOf(err); code == farm.CodeUnauthorized || code == farm.CodeForbidden || code == farm.CodeGone {
		s.farm.audit.NoteFailedSignIn(request.Origin(c), err)
		if wait := s.strangers.Take(inbound.Caller(request.Origin(c)), time.Now()); wait > 0 {
			err = farm.Errorf(farm.CodeRateLimited, "too many sign-ins from this address did not work; try again in a moment")
			status = answer.StatusOf(err)
		}
	}
	c.Status(status)
	heading := say(c, "You are not signed in")
	if farm.CodeOf(err) == farm.CodeForbidden {
		heading = say(c, "You have no access yet")
	}
	return s.render(c, page.SignOnProblem(s.bareShell(c, heading), heading, s.signOnLabel(), sayError(c, err)))
}

// showSignOnTest shows an administrator what the provider says of them, and what would come of it.
func (s *server) showSignOnTest(c *fiber.Ctx, a singlesignon.Arrival) error {
	p, err := s.reader(c)
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	v := page.SignOnTest{Arrival: a, Settings: s.farm.signOn.Settings()}
	var rule farm.GroupRule
	if rule, v.In, err = s.farm.people.RuleFor(ctx, p, a.Groups); err != nil {
		return s.problem(c, p, err)
	}
	if err := s.farm.people.UseUp(ctx, a.Use); err != nil {
		return s.problem(c, p, err)
	}
	v.Rule = rule
	if v.In {
		team, _, err := s.farm.people.Team(ctx, p, rule.Team)
		if err != nil {
			return err
		}
		v.Team = team.Name
	}
	shell := s.shell(c, p, say(c, "Test of single sign-on"), "settings")
	shell.Setting = "sign-in"
	return s.render(c, page.SignOnTestPage(shell, v))
}

func (s *server) signInRules(c *fiber.Ctx, p farm.Principal) error {
	return s.showSignInRules(c, p, page.SignInRules{})
}

func (s *server) showSignInRules(c *fiber.Ctx, p farm.Principal, v page.SignInRules) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	var err error
	if v.Rules, err = s.farm.people.SignInRules(ctx, p); err != nil {
		return err
	}
	if v.Teams, _, err = s.farm.people.Teams(ctx, p); err != nil {
		return err
	}
	v.Callback = s.farm.publicAddress() + singlesignon.CallbackPath
	if s.farm.signOn != nil {
		settings := s.farm.signOn.Settings()
		v.Settings = &settings
	}
	shell := s.shell(c, p, say(c, "Sign-in"), "settings")
	shell.Setting = "sign-in"
	return s.render(c, page.SignInRulesPage(shell, v))
}

// changeRules makes a handler that changes who comes in by single sign-on. change gives the rules as the form wants them.
func (s *server) changeRules(change func(c *fiber.Ctx, rules farm.SignInRules) farm.SignInRules) func(*fiber.Ctx, farm.Principal) error {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, cancel := s.callOf(c)
		defer cancel()
		rules, err := s.farm.people.SignInRules(ctx, p)
		if err != nil {
			return err
		}
		rules.Groups = slices.Clone(rules.Groups)
		err = s.farm.people.PutSignInRules(ctx, p, change(c, rules))
		switch farm.CodeOf(err) {
		case farm.CodeInvalid, farm.CodeConflict:
			c.Status(answer.StatusOf(err))
			return s.showSignInRules(c, p, page.SignInRules{Problem: refusal(c, err, ofRules), Rule: formRule(c)})
		}
		if err != nil {
			return err
		}
		return c.Redirect("/settings/sign-in", fiber.StatusSeeOther)
	}
}

// formRule is the rule that a form holds.
func formRule(c *fiber.Ctx) farm.GroupRule {
	return farm.GroupRule{Group: strings.TrimSpace(c.FormValue("group")), Team: c.FormValue("team"), Role: farm.Role(c.FormValue("role"))}
}

// sameRule finds the rule that a form is about.
func sameRule(c *fiber.Ctx, rules farm.SignInRules) int {
	about := formRule(c)
	return slices.IndexFunc(rules.Groups, func(r farm.GroupRule) bool { return r.Group == about.Group && r.Team == about.Team })
}

func addRule(c *fiber.Ctx, rules farm.SignInRules) farm.SignInRules {
	rules.Groups = append(rules.Groups, formRule(c))
	return rules
}

func removeRule(c *fiber.Ctx, rules farm.SignInRules) farm.SignInRules {
	if i := sameRule(c, rules); i >= 0 {
		rules.Groups = slices.Delete(rules.Groups, i, i+1)
	}
	return rules
}

func raiseRule(c *fiber.Ctx, rules farm.SignInRules) farm.SignInRules {
	if i := sameRule(c, rules); i > 0 {
		rules.Groups[i-1], rules.Groups[i] = rules.Groups[i], rules.Groups[i-1]
	}
	return rules
}

func linkByEmail(c *fiber.Ctx, rules farm.SignInRules) farm.SignInRules {
	rules.LinkByEmail = c.FormValue("link") != ""
	return rules
}

// ofRules begins the sentence that says what is wrong with a field of the rules.
func ofRules(field string) string {
	switch field {
	case "group":
		return language.Text("The group %s")
	case "role":
		return language.Text("The role %s")
	}
	return language.Text("The list of groups %s")
}
