package web

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/throttle"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// turnWithin is how long a page or picture waits for its team's turn. A page asks for many pictures at once, and a browser does not ask again
// for one that it was refused.
const turnWithin = 3 * time.Second

// awaitTurn counts a request as one of the reader's team, and waits a moment where the team asks more often than it may. CodeRateLimited when
// that is not enough.
func (s *server) awaitTurn(c *fiber.Ctx, p farm.Principal) error {
	for until := time.Now().Add(turnWithin); ; {
		now := time.Now()
		wait := s.teams.Take(p.Team, now)
		if wait == 0 {
			return nil
		}
		if c.Method() != fiber.MethodGet || now.Add(wait).After(until) {
			c.Set(fiber.HeaderRetryAfter, throttle.RetryAfter(wait))
			return farm.Errorf(farm.CodeRateLimited, "your team sends more requests than this farm allows; try again in %s", wording.Wait(wait))
		}
		select {
		case <-time.After(wait):
		case <-s.base.Done():
			return farm.Errorf(farm.CodeUnavailable, "the farm is stopping; try again in a moment")
		}
	}
}
