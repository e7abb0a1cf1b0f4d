package web

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/language"
)

// languageCookie keeps the language that a browser's reader has chosen; without it pages are in the one that the browser prefers.
const languageCookie = "overcrank_language"

// languageOf is the language that a request's reader reads.
func languageOf(c *fiber.Ctx) farm.Language {
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

// chooseLanguage remembers a language, or that it is to be the browser's.
func (s *server) chooseLanguage(c *fiber.Ctx, _ farm.Principal) error {
	cookie := fiber.Cookie{Name: languageCookie, Value: string(farm.KnownLanguage(c.FormValue("language"))), Path: "/", HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode}
	cookie.Expires = time.Now().AddDate(1, 0, 0)
	if cookie.Value == "" {
		cookie.Expires = time.Unix(1, 0)
	}
	c.Cookie(&cookie)
	return c.Redirect(cameFrom(c, "/account"), fiber.StatusSeeOther)
}
