package api

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

func (s *server) getInfo(c *fiber.Ctx, _ farm.Principal) error {
	return ok(c, map[string]string{"version": s.version})
}

// alive answers as long as the process serves requests at all.
func (s *server) alive(c *fiber.Ctx) error {
	return ok(c, map[string]string{"status": "ok"})
}

// ready answers whether work can be taken, and why not.
func (s *server) ready(c *fiber.Ctx) error {
	if err := s.farm.Ready(); err != nil {
		c.Set(fiber.HeaderRetryAfter, retryAfter[fiber.StatusServiceUnavailable])
		return sendJSON(c, fiber.StatusServiceUnavailable, errorBody{Error: err.Error()})
	}
	return ok(c, map[string]string{"status": "ready"})
}
