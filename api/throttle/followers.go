package throttle

import (
	"errors"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/inbound"
)

// FollowAgain is when who follows too much already may try again.
const FollowAgain = 30 * time.Second

// Followers hold those who follow the farm live to bounds: open pages of the dashboard, and sockets and streams of events. Each of them is
// drawn for and told of what happens for as long as it is open. API and dashboard share one, so that both count together.
type Followers struct {
	People    *inbound.Gate // by token: a person's browser, or a program
	Addresses *inbound.Gate // by where the request comes from
}

// Enter counts one more of a caller's, who calls leave at its end. CodeRateLimited says which bound it would pass.
func (f Followers) Enter(c *fiber.Ctx, p farm.Principal) (leave func(), err error) {
	forPerson, err := f.People.Enter(p.TokenID)
	if err != nil {
		return nil, followsTooMuch(c, err, "the token "+strconv.Quote(p.Name), f.People)
	}
	forAddress, err := f.Addresses.Enter(inbound.Caller(request.Origin(c)))
	if err != nil {
		forPerson()
		return nil, followsTooMuch(c, err, "this address", f.Addresses)
	}
	return func() { forAddress(); forPerson() }, nil
}

func followsTooMuch(c *fiber.Ctx, err error, who string, gate *inbound.Gate) error {
	c.Set(fiber.HeaderRetryAfter, RetryAfter(FollowAgain))
	if errors.Is(err, inbound.ErrTotalLimit) {
		return farm.Errorf(farm.CodeUnavailable, "too many live pages and event streams are open; try again in %s", wording.Wait(FollowAgain))
	}
	return farm.Errorf(farm.CodeRateLimited, "%s follows the farm live %d times already, and may not more often: close pages or streams that "+
		"are not needed", who, gate.PerCaller())
}
