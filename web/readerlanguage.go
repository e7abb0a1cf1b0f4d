package web

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/language"
)

// languageCookie keeps the language that was chosen in a browser, for whoever is not signed in or has chosen none; without it pages are in the one
// that the browser prefers.
const languageCookie = "overcrank_language"

// localPersonal is where a request keeps what its reader has chosen for themselves.
const localPersonal = "personal"

// greet notes what the reader of a request has chosen, for all that is drawn for them.
func (s *server) greet(c *fiber.Ctx, p farm.Principal) {
	ctx, cancel := s.call()
	defer cancel()
	c.Locals(localPersonal, s.personalOf(ctx, p))
}

// greeted is what the reader of a request has chosen, nothing for whoever is not signed in.
func greeted(c *fiber.Ctx) farm.Personal {
	personal, _ := c.Locals(localPersonal).(farm.Personal)
	return personal
}

// languageOf is the language that a request's reader reads: the one that they have chosen, in whatever browser, or else the browser's.
func languageOf(c *fiber.Ctx) farm.Language {
	return cmp.Or(farm.KnownLanguage(string(greeted(c).Language)), browserLanguage(c))
}

// browserLanguage is the language that was chosen in a browser, or else the one that it prefers.
func browserLanguage(c *fiber.Ctx) farm.Language {
	return language.Of(c.Cookies(languageCookie), c.Get(fiber.HeaderAcceptLanguage))
}

// reading is a context for what a request's reader reads.
func reading(c *fiber.Ctx) context.Context { return language.With(context.Background(), languageOf(c)) }

// say is a text in the language of a request's reader.
func say(c *fiber.Ctx, text string, args ...any) string {
	return language.Say(reading(c), text, args...)
}

// sayError is what an error says in the language of a request's reader.
func sayError(c *fiber.Ctx, err error) string { return language.ToldError(reading(c), err) }

// refusal says in a sentence what is wrong with something that was typed: the first field of the error after what of gives for its name, a text
// with a verb for the rest.
func refusal(c *fiber.Ctx, err error, of func(field string) string) string {
	var wrong *farm.Error
	if !errors.As(err, &wrong) || len(wrong.Fields) == 0 {
		return sayError(c, err)
	}
	first := wrong.Fields[0]
	return say(c, of(first.Field), language.Told(reading(c), first.Text()))
}

// chooseLanguage keeps a language with the reader and in their browser, or that it is to be the browser's.
func (s *server) chooseLanguage(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	chosen := farm.KnownLanguage(c.FormValue("language"))
	if err := s.farm.notices.ChooseLanguage(ctx, p, chosen); err != nil {
		return err
	}
	if chosen == "" {
		s.noteLanguage(c, p, language.Of("", c.Get(fiber.HeaderAcceptLanguage)))
	}
	cookie := fiber.Cookie{Name: languageCookie, Value: string(chosen), Path: "/", HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode}
	cookie.Expires = time.Now().AddDate(1, 0, 0)
	if cookie.Value == "" {
		cookie.Expires = time.Unix(1, 0)
	}
	c.Cookie(&cookie)
	return c.Redirect(cameFrom(c, "/account"), fiber.StatusSeeOther)
}

// noteLanguage keeps what a browser of somebody's prefers, which messages to them are in unless they have chosen. Nothing they do waits for it.
func (s *server) noteLanguage(c *fiber.Ctx, p farm.Principal, l farm.Language) {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if err := s.farm.notices.NoteBrowserLanguage(ctx, p, l); err != nil {
		s.logger.Warn("the language that a browser prefers was not kept; the next sign-in tries again", "error", err)
	}
}
