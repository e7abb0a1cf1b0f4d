// Package identity is how a machine and its farm know each other: the machine's key and certificate, and the authority that
// vouches for coordinators.
package identity

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"overcrank/farm/wire"
)

// Identity is what a machine keeps of its enrolment, in a file that only it can read.
type Identity struct {
	wire.Enrolled
	Key []byte `json:"key,omitempty"` // PKCS #8; it is there before the certificate, so that a lost answer can be asked for again
	// Secret is the bearer secret of a machine that enrolled with an earlier release. It is turned into a certificate.
	Secret string `json:"secret,omitempty"`
}

// NewKey makes a key, in PKCS #8.
func NewKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// Request proves, in a certificate request (PKCS #10, DER), that this machine has a key.
func Request(key []byte) ([]byte, error) {
	signer, err := x509.ParsePKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("reading this machine's key: %w", err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, signer)
	if err != nil {
		return nil, fmt.Errorf("asking for a certificate: %w", err)
	}
	return der, nil
}

// Certified tells whether the machine has a certificate.
func (i Identity) Certified() bool {
	return len(i.Certificate) > 0 && len(i.Key) > 0 && i.AgentID != ""
}

// Life is when the machine's certificate begins and ends to be good.
func (i Identity) Life() (from, until time.Time, err error) {
	leaf, err := x509.ParseCertificate(i.Certificate)
	if err != nil {
		return from, until, fmt.Errorf("reading this machine's certificate: %w", err)
	}
	return leaf.NotBefore, leaf.NotAfter, nil
}

// TLS is how the machine speaks to coordinators of its farm: both sides show who they are. A machine without a certificate
// shows none. It is an error when key, certificate and authority cannot be read or do not fit.
func (i Identity) TLS() (*tls.Config, error) {
	authority, err := x509.ParseCertificate(i.Authority)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the farm's authority: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(authority)
	config := &tls.Config{MinVersion: tls.VersionTLS13, ServerName: wire.ServerName, RootCAs: roots}
	if len(i.Certificate) == 0 {
		return config, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(i.Key)
	if err != nil {
		return nil, fmt.Errorf("reading this machine's key: %w", err)
	}
	leaf, err := x509.ParseCertificate(i.Certificate)
	if err != nil {
		return nil, fmt.Errorf("reading this machine's certificate: %w", err)
	}
	if own, ok := key.(*ecdsa.PrivateKey); !ok || !own.PublicKey.Equal(leaf.PublicKey) {
		return nil, errors.New("this machine's certificate is not for its key")
	}
	config.Certificates = []tls.Certificate{{Certificate: [][]byte{i.Certificate}, PrivateKey: key, Leaf: leaf}}
	return config, nil
}

// ErrStranger means that whoever answered is no coordinator of the farm that was meant.
var ErrStranger = errors.New("whoever answers there is not the farm that was meant")

// FirstContact is how a machine speaks to a farm of which it knows nothing but the fingerprint of its authority, which comes
// with a join token. The connection is refused, before anything is sent over it, unless that authority vouches for the
// other side.
func FirstContact(fingerprint string) *tls.Config {
	return contact(func(shown []*x509.Certificate) error { return verify(shown, fingerprint) })
}

// Stranger is how a machine speaks to a farm that has yet to prove itself, so nothing secret may be sent over it.
func Stranger() *tls.Config {
	return contact(func([]*x509.Certificate) error { return nil })
}

func contact(check func(shown []*x509.Certificate) error) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, ServerName: wire.ServerName,
		InsecureSkipVerify: true, // check does it
		VerifyConnection:   func(state tls.ConnectionState) error { return check(state.PeerCertificates) },
	}
}

// verify looks for the authority with the fingerprint among the certificates that were shown, and checks that it vouches
// for the first.
func verify(shown []*x509.Certificate, fingerprint string) error {
	for _, authority := range shown[min(1, len(shown)):] {
		if wire.Fingerprint(authority.RawSubjectPublicKeyInfo) != fingerprint || !authority.IsCA {
			continue
		}
		roots := x509.NewCertPool()
		roots.AddCert(authority)
		_, err := shown[0].Verify(x509.VerifyOptions{Roots: roots, DNSName: wire.ServerName, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
		if err != nil {
			return fmt.Errorf("%w: %w", ErrStranger, err)
		}
		return nil
	}
	return fmt.Errorf("%w: it does not know the authority with the fingerprint %s", ErrStranger, fingerprint)
}

// Vouches tells whether the certificate of a farm's authority, in DER, has the fingerprint.
func Vouches(authority []byte, fingerprint string) bool {
	certificate, err := x509.ParseCertificate(authority)
	return err == nil && wire.Fingerprint(certificate.RawSubjectPublicKeyInfo) == fingerprint
}
