package web

import (
	"encoding/json"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/api/throttle"
	"overcrank/farm"
	"overcrank/inbound"
	"overcrank/web/page"
)

// keyAnswer is what a page's script sends of a device's answer.
type keyAnswer struct {
	Name   string          `json:"name"` // of a new passkey
	Answer json.RawMessage `json:"answer"`
	To     string          `json:"to"` // the page that follows
}

func readKeyAnswer(c *fiber.Ctx) (in keyAnswer, err error) {
	if err := json.Unmarshal(c.Body(), &in); err != nil {
		return in, farm.Errorf(farm.CodeInvalid, "the page sent what cannot be read; load it again")
	}
	return in, nil
}

// passkeyChallenge is what a browser asks its devices for that signs in by passkey.
func (s *server) passkeyChallenge(c *fiber.Ctx) error {
	options, err := s.farm.passkeys.BeginSignIn()
	if err != nil {
		return err
	}
	return c.JSON(options)
}

// signInByPasskey takes what a device has answered, and says which page follows.
func (s *server) signInByPasskey(c *fiber.Ctx) error {
	in, err := readKeyAnswer(c)
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	p, err := s.farm.passkeys.SignIn(ctx, in.Answer)
	switch farm.CodeOf(err) {
	case farm.CodeUnauthorized, farm.CodeGone, farm.CodeInvalid:
		s.farm.audit.NoteFailedSignIn(request.Origin(c), err)
		if wait := s.strangers.Take(inbound.Caller(request.Origin(c)), time.Now()); wait > 0 {
			c.Set(fiber.HeaderRetryAfter, throttle.RetryAfter(wait))
			return farm.Errorf(farm.CodeRateLimited, "too many sign-ins from this address did not work; try again in a moment")
		}
	}
	if err != nil {
		return err
	}
	if err := s.signInAs(c, p.TokenID); err != nil {
		return err
	}
	return c.JSON(fiber.Map{"to": localPath(in.To)})
}

// newPasskeyChallenge is what a browser asks a device for that is to become a way in.
func (s *server) newPasskeyChallenge(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	options, err := s.farm.passkeys.BeginAdding(ctx, p)
	if err != nil {
		return err
	}
	return c.JSON(options)
}

func (s *server) addPasskey(c *fiber.Ctx, p farm.Principal) error {
	in, err := readKeyAnswer(c)
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	if in.Name == "" {
		in.Name = page.BrowserWords(reading(c), c.Get(fiber.HeaderUserAgent))
	}
	if err := s.farm.passkeys.Add(ctx, p, in.Name, in.Answer); err != nil {
		return err
	}
	return c.JSON(fiber.Map{"to": "/account?passkey=added"})
}

func (s *server) renamePasskey(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	return s.passkeyChanged(c, p, s.farm.passkeys.Rename(ctx, p, c.Params("id"), c.FormValue("name")))
}

func (s *server) removePasskey(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	return s.passkeyChanged(c, p, s.farm.passkeys.Remove(ctx, p, c.Params("id")))
}

// passkeyChanged shows the reader's passkeys, with why nothing was changed.
func (s *server) passkeyChanged(c *fiber.Ctx, p farm.Principal, err error) error {
	switch farm.CodeOf(err) {
	case farm.CodeConflict, farm.CodeInvalid:
		c.Status(answer.StatusOf(err))
		return s.showAccount(c, p, page.Account{PasskeyProblem: sayError(c, err)})
	}
	if err != nil {
		return err
	}
	return c.Redirect("/account#passkeys", fiber.StatusSeeOther)
}

// signInAgain ends the reader's session and leads back to their account: what gives somebody a way in for good is asked of those who have just signed in.
func (s *server) signInAgain(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.people.EndSession(ctx, p); err != nil {
		return err
	}
	return c.Redirect("/sign-in?to=/account", fiber.StatusSeeOther)
}
