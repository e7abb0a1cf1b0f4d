package authority

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net/url"
	"time"

	"overcrank/farm/wire"
)

// Request is a machine's request for a certificate: proof that it has a key. The farm decides everything else in the certificate.
type Request struct {
	key    crypto.PublicKey
	SHA256 string // of the public key, in hex
}

// ReadRequest parses a certificate request (PKCS #10, DER) and checks its proof. Keys are ECDSA P-256 or Ed25519.
func ReadRequest(der []byte) (Request, error) {
	csr, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return Request{}, fmt.Errorf("reading a certificate request: %w", err)
	}
	switch key := csr.PublicKey.(type) {
	case *ecdsa.PublicKey:
		if key.Curve != elliptic.P256() {
			return Request{}, fmt.Errorf("reading a certificate request: a key on the curve %s; P-256 or Ed25519 is wanted", key.Curve.Params().Name)
		}
	case ed25519.PublicKey:
	default:
		return Request{}, fmt.Errorf("reading a certificate request: a key of type %T; ECDSA P-256 or Ed25519 is wanted", key)
	}
	if err := csr.CheckSignature(); err != nil {
		return Request{}, fmt.Errorf("reading a certificate request: %w", err)
	}
	return Request{key: csr.PublicKey, SHA256: wire.Fingerprint(csr.RawSubjectPublicKeyInfo)}, nil
}

// agentScheme is the scheme of the URI that names an agent in its certificate: overcrank://<farm>/agent/<id>.
const agentScheme = "overcrank"

// Agent issues an agent's certificate, in DER: valid until a time, as a client of coordinators only.
func (a *Authority) Agent(r Request, farm, id string, now, until time.Time) ([]byte, error) {
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: id, OrganizationalUnit: []string{"agent"}},
		URIs:      []*url.URL{{Scheme: agentScheme, Host: farm, Path: "/agent/" + id}},
		NotBefore: now.Add(-backdated(until.Sub(now))), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, r.key, a.key)
	if err != nil {
		return nil, fmt.Errorf("making the certificate of agent %s: %w", id, err)
	}
	return der, nil
}

// AgentOf is the id of the agent that a verified certificate was issued to.
func AgentOf(certificate *x509.Certificate, farm string) (id string, err error) {
	for _, uri := range certificate.URIs {
		if uri.Scheme == agentScheme && uri.Host == farm && uri.Path == "/agent/"+certificate.Subject.CommonName {
			return certificate.Subject.CommonName, nil
		}
	}
	return "", errors.New("the certificate names no agent of this farm")
}
