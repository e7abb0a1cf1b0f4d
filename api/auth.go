package api

import (
	"crypto/x509"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/throttle"
	"overcrank/farm"
	"overcrank/inbound"
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

// forTeam lets a request through to h when its token is good, its team does not ask too often, and may do what it is for.
func (s *server) forTeam(action farm.Action, h teamHandler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		secret := bearer(c)
		if secret == "" {
			return farm.Errorf(farm.CodeUnauthorized, "this address needs an API token: send the header Authorization: Bearer <token>")
		}
		p, err := s.farm.Authenticate(c.UserContext(), secret)
		if err != nil {
			return s.refuseStranger(c, err)
		}
		c.Locals(localPrincipal, p)
		if wait := s.teams.Take(p.Team, time.Now()); wait > 0 {
			return rateLimited(c, wait, "the team sends more requests than this farm allows")
		}
		if err := p.May(action); err != nil {
			return err
		}
		if id := c.Params("id"); len(id) > longestID {
			return farm.Errorf(farm.CodeNotFound, "no record of the farm has an id of %d bytes", len(id))
		}
		return h(c, p)
	}
}

// forReader is forTeam for addresses that browsers also open by themselves: without a token, who is signed in to the dashboard
// is let through to h.
func (s *server) forReader(action farm.Action, h teamHandler) fiber.Handler {
	byToken := s.forTeam(action, h)
	return func(c *fiber.Ctx) error {
		if s.browser == nil || bearer(c) != "" {
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

// forAgent lets a request through to h when its connection shows the certificate of an agent.
func (s *server) forAgent(h func(c *fiber.Ctx, a farm.Agent) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		certificate, err := shown(c)
		if err != nil {
			return err
		}
		if certificate == nil {
			return farm.Errorf(farm.CodeUnauthorized, "this address is for enrolled agents, and the connection shows no agent's certificate")
		}
		ctx, done := s.call(c)
		defer done()
		a, err := s.farm.AuthenticateAgent(ctx, certificate)
		if err != nil {
			return s.refuseStranger(c, err)
		}
		return h(c, a)
	}
}

// shown is the certificate that the other side of a request's connection has shown and TLS has verified, nil when it has
// shown none; an error on plain HTTP.
func shown(c *fiber.Ctx) (*x509.Certificate, error) {
	state := c.Context().TLSConnectionState()
	if state == nil {
		return nil, farm.Errorf(farm.CodeForbidden, "agents are spoken to over TLS only: use https:// with the same host and port, and the overcrank of this farm's release")
	}
	if len(state.VerifiedChains) == 0 {
		return nil, nil
	}
	return state.PeerCertificates[0], nil
}

// refuseStranger answers whoever showed a secret that the farm does not know, and slows down who does it all the time. A
// whole studio may come from one address, so it looks at no request with a good token.
func (s *server) refuseStranger(c *fiber.Ctx, err error) error {
	if farm.CodeOf(err) != farm.CodeUnauthorized {
		return err
	}
	if wait := s.strangers.Take(inbound.Caller(Origin(c)), time.Now()); wait > 0 {
		return rateLimited(c, wait, "too many requests from this address showed a secret that the farm does not know")
	}
	return err
}

// rateLimited makes the error for a caller that has to wait.
func rateLimited(c *fiber.Ctx, wait time.Duration, why string) error {
	seconds := throttle.RetryAfter(wait)
	c.Set(fiber.HeaderRetryAfter, seconds)
	return farm.Errorf(farm.CodeRateLimited, "%s; try again in %s s", why, seconds)
}
