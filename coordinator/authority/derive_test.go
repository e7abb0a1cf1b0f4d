package authority_test

import (
	"bytes"
	"crypto/x509"
	"testing"
	"time"

	"overcrank/coordinator/authority"
)

func TestDeriveIsDeterministic(t *testing.T) {
	secret := bytes.Repeat([]byte{7}, 32)
	var made []*authority.Authority
	for range 2 {
		a, err := authority.Derive(secret, "farm")
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, a)
	}
	if !bytes.Equal(made[0].Certificate(), made[1].Certificate()) {
		t.Error("two machines made different certificates of one secret")
	}
	secret[0]++
	other, err := authority.Derive(secret, "farm")
	if err != nil {
		t.Fatal(err)
	}
	if other.Fingerprint() == made[0].Fingerprint() {
		t.Error("another secret made the same authority")
	}
	dir := t.TempDir()
	if err := made[0].Keep(dir); err != nil {
		t.Fatal(err)
	}
	kept := load(t, dir)
	if kept.Fresh() || kept.Fingerprint() != made[0].Fingerprint() {
		t.Error("a restart made another authority")
	}
	certificate, err := kept.Node("n1", func() time.Time { return noon }).Certificate()
	if err != nil {
		t.Fatal(err)
	}
	if err := certificate.Leaf.CheckSignatureFrom(mustParse(t, made[1].Certificate())); err != nil {
		t.Error(err)
	}
}

func mustParse(t *testing.T, der []byte) *x509.Certificate {
	t.Helper()
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}
