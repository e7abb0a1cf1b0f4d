package api

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator"
)

// lead is whether this coordinator leads, and whether it has all that any has acknowledged.
type lead interface {
	IsFresh() bool
	Fresh(ctx context.Context) error
	Led() *coordinator.Led
	LedStill(ctx context.Context, led *coordinator.Led) error
}

// fresh lets a request through once this coordinator has all that any has acknowledged before. Of the routes, those that are answered
// without a leader need not, and for those that take new jobs there is proved.
func (s *server) fresh(routes []route.Route) fiber.Handler {
	type address struct{ method, path string }
	passes := map[address]bool{}
	for _, r := range routes {
		if r.Leaderless || r.Submits {
			passes[address{r.Method, r.Path}] = true
			if r.Method == fiber.MethodGet {
				passes[address{fiber.MethodHead, r.Path}] = true
			}
		}
	}
	return func(c *fiber.Ctx) error {
		if !passes[address{c.Method(), c.Path()}] {
			if err := s.catchUp(c); err != nil {
				return err
			}
		}
		return c.Next()
	}
}

func (s *server) catchUp(c *fiber.Ctx) error {
	if s.farm.lead.IsFresh() {
		return nil
	}
	ctx, done := request.Call(c)
	defer done()
	return s.farm.lead.Fresh(ctx)
}

// proved does for submissions what fresh does for others. The leader does not ask the other coordinators first: that it could
// bring the jobs into the log proves that what it read was fresh. Only before it refuses a request it asks.
func (s *server) proved(h fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if led := s.farm.lead.Led(); led != nil && c.Get(headerIdempotencyKey) == "" { // a repetition brings nothing into the log
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
	return s.farm.lead.LedStill(ctx, led) == nil
}
