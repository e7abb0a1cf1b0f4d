package internode

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"

	"overcrank/coordinator/authority"
)

// dial connects to another node for one protocol.
func (p *Port) dial(ctx context.Context, address, protocol string) (net.Conn, error) {
	certificate, err := p.cfg.Certificate()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	dialer := tls.Dialer{Config: &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{protocol}, Time: p.cfg.Now, Certificates: []tls.Certificate{*certificate},
		// Nodes are identified by id, not by host name: addresses may change. So verify replaces the host name check.
		InsecureSkipVerify: true,
		VerifyConnection:   func(state tls.ConnectionState) error { return p.verify(state, x509.ExtKeyUsageServerAuth) },
	}}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, &dialError{fmt.Errorf("connect to the coordinator at %s: %w", address, err)}
	}
	return conn, nil
}

func (p *Port) serverTLS() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{p.raftProtocol(), protocolHTTP}, Time: p.cfg.Now,
		ClientAuth:             tls.RequireAnyClientCert,
		SessionTicketsDisabled: true, // a resumed session would not be verified again
		GetCertificate:         func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.cfg.Certificate() },
		VerifyConnection:       func(state tls.ConnectionState) error { return p.verify(state, x509.ExtKeyUsageClientAuth) },
	}
}

// verify accepts certificates that the farm's authority issued to coordinators. Those of agents, from the same authority, are refused.
func (p *Port) verify(state tls.ConnectionState, usage x509.ExtKeyUsage) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("the other side presented no certificate")
	}
	leaf := state.PeerCertificates[0]
	between := x509.NewCertPool()
	for _, certificate := range state.PeerCertificates[1:] {
		between.AddCert(certificate)
	}
	_, err := leaf.Verify(x509.VerifyOptions{
		Roots: p.cfg.Authorities(), Intermediates: between, CurrentTime: p.cfg.Now(), KeyUsages: []x509.ExtKeyUsage{usage},
	})
	if err != nil {
		return fmt.Errorf("the other side is no coordinator of this farm: %w", err)
	}
	if !slices.Contains(leaf.Subject.OrganizationalUnit, authority.CoordinatorUnit) || leaf.Subject.CommonName == "" {
		return fmt.Errorf("the other side, %q, is not a coordinator", leaf.Subject.CommonName)
	}
	if state.NegotiatedProtocol == "" {
		return errors.New("the other side named no protocol of this port")
	}
	return nil
}

// raftProtocol is the ALPN protocol of Raft's connections in this node's era.
func (p *Port) raftProtocol() string {
	if p.cfg.Era == "" {
		return protocolRaft
	}
	return protocolRaft + " " + p.cfg.Era
}

// NotReached reports whether a request of a Client failed before any of it was sent.
func NotReached(err error) bool {
	var failed *dialError
	return errors.As(err, &failed)
}

// dialError marks a failure to connect.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }
