package api

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/api/throttle"
	"overcrank/farm"
)

// forTeam lets a request through to h when its token is good, its team does not ask too often, and may do what it is for.
func (s *server) forTeam(action farm.Action, h route.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		secret := request.Bearer(c)
		if secret == "" {
			return farm.Errorf(farm.CodeUnauthorized, "this address needs an API token: send the header Authorization: Bearer <token>")
		}
		p, err := s.farm.people.Authenticate(c.UserContext(), secret)
		if err != nil {
			return s.strangers.Refuse(c, err)
		}
		c.Locals(request.LocalPrincipal, p)
		if wait := s.teams.Take(p.Team, time.Now()); wait > 0 {
			return throttle.RateLimited(c, wait, "the team sends more requests than this farm allows")
		}
		if err := p.May(action); err != nil {
			s.farm.audit.NoteRequest(request.Asker(c), action, c.Method(), err)
			return err
		}
		if id := c.Params("id"); len(id) > longestID {
			return farm.Errorf(farm.CodeNotFound, "no record of the farm has an id of %d bytes", len(id))
		}
		err = h(c, p)
		s.farm.audit.NoteRequest(request.Asker(c), action, c.Method(), err)
		return err
	}
}

// forReader is forTeam for addresses that browsers also open by themselves: without a token, who is signed in to the dashboard
// is let through to h.
func (s *server) forReader(action farm.Action, h route.Handler) fiber.Handler {
	byToken := s.forTeam(action, h)
	return func(c *fiber.Ctx) error {
		if s.browser == nil || request.Bearer(c) != "" {
			return byToken(c)
		}
		p, err := s.browser(c)
		if err != nil || !p.Can(action) {
			return byToken(c)
		}
		return h(c, p)
	}
}

// longestID is beyond all ids that the farm makes.
const longestID = 200
