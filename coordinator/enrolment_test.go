package coordinator_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"testing"

	"overcrank/coordinator"
	"overcrank/farm/wire"
)

// invite is the secret of a fresh join token.
func (r *rig) invite(edit ...func(*coordinator.NewJoinToken)) string {
	r.t.Helper()
	in := coordinator.NewJoinToken{}
	for _, e := range edit {
		e(&in)
	}
	_, text, err := r.Invite(r.t.Context(), r.admin, in)
	if err != nil {
		r.t.Fatal(err)
	}
	token, err := wire.ParseJoinToken(text)
	if err != nil {
		r.t.Fatal(err)
	}
	return token.Secret
}

// request asks a certificate for a fresh key.
func request(t testing.TB) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func certificate(t testing.TB, enrolled wire.Enrolled) *x509.Certificate {
	t.Helper()
	leaf, err := x509.ParseCertificate(enrolled.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}
