package request

import (
	"crypto/x509"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// Bearer is the secret that a request shows, "" when it shows none.
func Bearer(c *fiber.Ctx) string {
	scheme, secret, found := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// Certificate is the certificate that the other side of a request's connection has shown and TLS has verified, nil when it has
// shown none; an error on plain HTTP.
func Certificate(c *fiber.Ctx) (*x509.Certificate, error) {
	state := c.Context().TLSConnectionState()
	if state == nil {
		return nil, farm.Errorf(farm.CodeForbidden, "agents are spoken to over TLS only: use https:// with the same host and port, and the overcrank of this farm's release")
	}
	if len(state.VerifiedChains) == 0 {
		return nil, nil
	}
	return state.PeerCertificates[0], nil
}
