package web

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/openapi"
	"overcrank/web/page"
)

// reference shows the interface to whoever writes a client; it tells nothing of the farm but its address.
func (s *server) reference(c *fiber.Ctx) error {
	d, err := openapi.Load()
	if err != nil {
		return err
	}
	shell := page.Shell{Title: "API reference", Theme: themeOf(c), Version: s.version}
	return s.render(c, page.ReferencePage(shell, d.Reference(s.farm.PublicAddress())))
}
