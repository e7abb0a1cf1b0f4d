package throttle

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/inbound"
)

// Strangers counts who shows secrets that the farm does not know, by the address that they come from.
type Strangers struct{ guesses *Throttle }

// NewStrangers holds each address to a limit of secrets that the farm does not know.
func NewStrangers(limit Limit) Strangers { return Strangers{New(limit)} }

// Refuse answers whoever showed a secret that the farm does not know, and slows down who does it all the time. A
// whole studio may come from one address, so it looks at no request with a good token.
func (s Strangers) Refuse(c *fiber.Ctx, err error) error {
	if farm.CodeOf(err) != farm.CodeUnauthorized {
		return err
	}
	if wait := s.guesses.Take(inbound.Caller(request.Origin(c)), time.Now()); wait > 0 {
		return RateLimited(c, wait, "too many requests from this address showed a secret that the farm does not know")
	}
	return err
}

// RateLimited makes the error for a caller that has to wait.
func RateLimited(c *fiber.Ctx, wait time.Duration, why string) error {
	c.Set(fiber.HeaderRetryAfter, RetryAfter(wait))
	return farm.Errorf(farm.CodeRateLimited, "%s; try again in %s", why, wording.Wait(wait))
}
