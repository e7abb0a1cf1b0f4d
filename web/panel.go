package web

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/panel"
)

// panel gives the panel for After Effects to anyone: it holds nothing but the farm's address. Whoever uses it needs a token.
func (s *server) panel(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, "no-cache")
	c.Set(fiber.HeaderContentType, "application/javascript; charset=utf-8")
	c.Attachment(panel.Name)
	return c.Send(panel.For(s.version, s.farm.publicAddress()))
}
