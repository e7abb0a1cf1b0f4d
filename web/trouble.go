package web

import (
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/page"
)

// leaderAgain is in how many seconds a browser looks again whether a coordinator leads.
const leaderAgain = "3"

// trouble answers people with why a page cannot be shown, or their form was refused.
func (s *server) trouble(c *fiber.Ctx, p farm.Principal, status int, message string) error {
	shell := s.shell(c, p, "", "")
	v := page.Trouble{Kind: troubleOf(status, shell.Pulse.Leaderless), Message: message, What: c.Method() + " " + loggedPath(c), At: time.Now()}
	if v.Sent = c.Method() != fiber.MethodGet; v.Sent {
		v.Back = pageBefore(c)
	}
	switch v.Kind {
	case page.TroubleMissing:
		shell.Title = say(c, "Page not found")
	case page.TroubleForbidden:
		shell.Title = say(c, "You don’t have access to this page")
		if v.Sent {
			shell.Title = say(c, "You may not do this")
		}
	case page.TroubleLeaderless:
		shell.Title = say(c, "The farm has no leader at the moment")
		if !v.Sent {
			c.Set("Refresh", leaderAgain)
		}
	case page.TroubleBusy:
		shell.Title = say(c, "The farm is busy")
	case page.TroubleFailed:
		shell.Title = say(c, "Something went wrong at the farm")
	default:
		shell.Title = say(c, "That did not work")
	}
	if !v.Sent && (v.Kind == page.TroubleLeaderless || v.Kind == page.TroubleBusy || v.Kind == page.TroubleFailed) {
		v.Again = c.OriginalURL()
	}
	return s.render(c, page.TroublePage(shell, v))
}

// troubleOf is what kind of trouble a status stands for.
func troubleOf(status int, leaderless bool) page.TroubleKind {
	switch status {
	case fiber.StatusNotFound, fiber.StatusGone:
		return page.TroubleMissing
	case fiber.StatusForbidden:
		return page.TroubleForbidden
	case fiber.StatusServiceUnavailable, fiber.StatusTooManyRequests, fiber.StatusGatewayTimeout:
		if leaderless {
			return page.TroubleLeaderless
		}
		return page.TroubleBusy
	case fiber.StatusInternalServerError:
		return page.TroubleFailed
	}
	return page.TroubleRefused
}

// pageBefore is the page of this farm on which a form stood, "" where the browser does not say.
func pageBefore(c *fiber.Ctx) string {
	from, err := url.Parse(c.Get(fiber.HeaderReferer))
	if err != nil || from.Host != string(c.Request().Host()) || from.Path == "" {
		return ""
	}
	return from.RequestURI()
}
