package coordinator

import (
	"crypto/tls"
	"slices"

	"overcrank/farm/wire"
)

// TLS is how this node speaks TLS with agents and callers who know it by the names, hosts and IP addresses: version 1.3, with
// a certificate of the farm's own authority, renewed while it runs. Agents are asked for theirs; whoever shows one that the
// authority did not make is refused. studio, when not nil, gives the certificate for callers; agents get the farm's own all
// the same.
func (c *Coordinator) TLS(names []string, studio func() (*tls.Certificate, error)) *tls.Config {
	own := c.authority.Server(append(slices.Clip(names), wire.ServerName), c.cfg.Now)
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{"http/1.1"}, Time: c.cfg.Now,
		ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: c.authority.Pool(),
		// A resumed session would be believed for the certificates of the one before.
		SessionTicketsDisabled: true,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if studio != nil && hello.ServerName != wire.ServerName {
				return studio()
			}
			return own.Certificate()
		},
	}
}
