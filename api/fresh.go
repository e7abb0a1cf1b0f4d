package api

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/farmv1"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/coordinator"
)

// fresh lets a request through once this coordinator has all that any has acknowledged before.
func (s *server) fresh(c *fiber.Ctx) error {
	if c.Path() == farmv1.PathCluster || public.Submits(c.Method(), c.Path()) {
		return c.Next() // the first is asked when there is no leader, more than ever; for the others there is proved
	}
	if err := s.catchUp(c); err != nil {
		return err
	}
	return c.Next()
}

func (s *server) catchUp(c *fiber.Ctx) error {
	if s.farm.IsFresh() {
		return nil
	}
	ctx, done := request.Call(c)
	defer done()
	return s.farm.Fresh(ctx)
}

// proved does for submissions what fresh does for others. The leader does not ask the other coordinators first: that it could
// bring the jobs into the log proves that what it read was fresh. Only before it refuses a request it asks.
func (s *server) proved(h fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if led := s.farm.Led(); led != nil && c.Get(headerIdempotencyKey) == "" { // a repetition brings nothing into the log
			c.Locals(request.LocalLed, led)
			err := h(c)
			if err == nil && c.Response().StatusCode() < fiber.StatusBadRequest {
				return nil
			}
			c.Locals(request.LocalLed, nil)
			if !errors.Is(err, coordinator.ErrLedNoMore) && s.ledStill(c, led) {
				return err
			}
			c.Response().ResetBody()
			c.Status(fiber.StatusOK)
		}
		if err := s.catchUp(c); err != nil {
			return err
		}
		return h(c)
	}
}

func (s *server) ledStill(c *fiber.Ctx, led *coordinator.Led) bool {
	ctx, done := request.Call(c)
	defer done()
	return s.farm.LedStill(ctx, led) == nil
}
