package web

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/openapi"
	"overcrank/web/page"
)

// reference shows the interface, the public one and the farm's own, to whoever writes a client; it tells nothing of the farm but its address.
func (s *server) reference(c *fiber.Ctx) error {
	described, err := s.described()
	if err != nil {
		return err
	}
	shell := s.bareShell(c, say(c, "API reference"))
	return s.render(c, page.ReferencePage(shell, described))
}

// readReference makes what the page shows of the interface's documents, which are the same as long as the process lives.
func readReference(address string) (openapi.Reference, error) {
	public, err := openapi.Public()
	if err != nil {
		return openapi.Reference{}, err
	}
	own, err := openapi.Farm()
	if err != nil {
		return openapi.Reference{}, err
	}
	return public.Reference(address).With(own.Reference(address)), nil
}
