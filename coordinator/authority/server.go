package authority

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"sync"
	"time"
)

// CoordinatorUnit is the organizational unit in coordinators' certificates; agents' have another.
const CoordinatorUnit = "coordinator"

// Server issues a coordinator's certificate and renews it in time. The key never leaves the process. It is safe for concurrent use.
type Server struct {
	authority *Authority
	id        string // "" for a web server's
	names     []string
	now       func() time.Time

	mu      sync.Mutex
	current *tls.Certificate
}

// Server returns the certificates of a coordinator's web server, for its names: hosts and IP addresses.
func (a *Authority) Server(names []string, now func() time.Time) *Server {
	return &Server{authority: a, names: names, now: now}
}

// Node returns the certificates with which coordinator id identifies itself to the others, as server and client.
func (a *Authority) Node(id string, now func() time.Time) *Server {
	return &Server{authority: a, id: id, now: now}
}

// Certificate is the current certificate, followed by the authority's.
func (s *Server) Certificate() (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if s.current != nil && now.Before(s.current.Leaf.NotAfter.Add(-ServerLife/3)) && !now.Before(s.current.Leaf.NotBefore) {
		return s.current, nil
	}
	made, err := s.make(now)
	if err != nil {
		return nil, fmt.Errorf("making the certificate of this coordinator: %w", err)
	}
	s.current = made
	return made, nil
}

func (s *Server) make(now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: cmp.Or(s.id, firstOf(s.names), "coordinator"), OrganizationalUnit: []string{CoordinatorUnit}},
		NotBefore: now.Add(-backdated(ServerLife)), NotAfter: now.Add(ServerLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
	}
	if s.id != "" {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	}
	for _, name := range s.names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, s.authority.certificate, key.Public(), s.authority.key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der, s.authority.certificate.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

func firstOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}
