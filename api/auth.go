package api

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// bearer is the secret that a request shows, "" when it shows none.
func bearer(c *fiber.Ctx) string {
	scheme, secret, found := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// teamHandler answers a request of a member of a team.
type teamHandler func(c *fiber.Ctx, p farm.Principal) error

// forTeam lets a request through to h when its token is good and its role reaches needed.
func (s *server) forTeam(needed farm.Role, h teamHandler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		secret := bearer(c)
		if secret == "" {
			return farm.Errorf(farm.CodeUnauthorized, "this address needs an API token: send the header Authorization: Bearer <token>")
		}
		ctx, done := s.call(c)
		defer done()
		p, err := s.farm.Authenticate(ctx, secret)
		if err != nil {
			return err
		}
		c.Locals(localPrincipal, p)
		if !p.Role.Allows(needed) {
			return farm.Errorf(farm.CodeForbidden, "the token %q is a %s's; this needs the role %s or higher", p.Name, p.Role, needed)
		}
		return h(c, p)
	}
}

// forAgent lets a request through to h when it shows an agent's own secret.
func (s *server) forAgent(h func(c *fiber.Ctx, a farm.Agent) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		secret := bearer(c)
		if secret == "" {
			return farm.Errorf(farm.CodeUnauthorized, "this address is for enrolled agents, and the request shows no agent's secret")
		}
		ctx, done := s.call(c)
		defer done()
		a, err := s.farm.AuthenticateAgent(ctx, secret)
		if err != nil {
			return err
		}
		return h(c, a)
	}
}
