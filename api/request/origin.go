package request

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/inbound"
)

// localOrigin is where a request keeps where it comes from.
const localOrigin = "overcrank.origin"

// NoteOrigin notes for Origin where a request comes from.
func NoteOrigin(proxies inbound.Proxies) fiber.Handler {
	return func(c *fiber.Ctx) error {
		remote := c.Context().RemoteIP().String()
		if proxies.Has(remote) {
			var forwarded []string
			for _, value := range c.Request().Header.PeekAll(fiber.HeaderXForwardedFor) {
				forwarded = append(forwarded, string(value))
			}
			remote = proxies.Origin(remote, forwarded)
		}
		c.Locals(localOrigin, remote)
		return c.Next()
	}
}

// Origin is the address that a request comes from: that of its connection, or the one for which a proxy that is trusted handed it on.
func Origin(c *fiber.Ctx) string {
	origin, _ := c.Locals(localOrigin).(string)
	return origin
}
