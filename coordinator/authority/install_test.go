package authority_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/authority"
)

// studio issues authorities, as its own root does.
type studio struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	root *x509.Certificate
}

func newStudio(t *testing.T) *studio {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Studio root"}, NotBefore: noon.Add(-time.Hour), NotAfter: noon.AddDate(10, 0, 0), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	root, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &studio{t, key, root}
}

// issue writes an authority of the studio's, with what edit changes of it, and its key.
func (s *studio) issue(key crypto.Signer, edit func(*x509.Certificate)) (certificatePath, keyPath string) {
	s.t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Studio render farm"}, NotBefore: noon.Add(-time.Hour), NotAfter: noon.AddDate(1, 0, 0),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	edit(template)
	der, err := x509.CreateCertificate(rand.Reader, template, s.root, key.Public(), s.key)
	if err != nil {
		s.t.Fatal(err)
	}
	block := &pem.Block{Type: "EC PRIVATE KEY"}
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		if block.Bytes, err = x509.MarshalECPrivateKey(key); err != nil {
			s.t.Fatal(err)
		}
	case *rsa.PrivateKey:
		block = &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	}
	dir := s.t.TempDir()
	certificatePath, keyPath = filepath.Join(dir, "farm-ca.crt"), filepath.Join(dir, "farm-ca.key")
	for path, b := range map[string]*pem.Block{certificatePath: {Type: "CERTIFICATE", Bytes: der}, keyPath: block} {
		if err := os.WriteFile(path, pem.EncodeToMemory(b), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	return certificatePath, keyPath
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func asItIs(*x509.Certificate) {}

func TestInstallStudioAuthority(t *testing.T) {
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]crypto.Signer{"ECDSA": newKey(t), "RSA": long} {
		s, dir := newStudio(t), filepath.Join(t.TempDir(), "farm")
		certificate, keyFile := s.issue(key, asItIs)
		if err := authority.Install(dir, certificate, keyFile, noon); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a := load(t, dir)
		server, err := a.Server([]string{"farm.local"}, func() time.Time { return noon }).Certificate()
		if err != nil {
			t.Fatal(err)
		}
		// Callers that trust the studio's root believe the farm too.
		roots, between := x509.NewCertPool(), x509.NewCertPool()
		roots.AddCert(s.root)
		shown, err := x509.ParseCertificate(server.Certificate[1])
		if err != nil {
			t.Fatal(err)
		}
		between.AddCert(shown)
		if _, err := server.Leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: noon, DNSName: "farm.local"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The studio renews it with the same key.
		certificate, keyFile = s.issue(key, func(c *x509.Certificate) { c.NotAfter = noon.AddDate(3, 0, 0) })
		if err := authority.Install(dir, certificate, keyFile, noon); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again := load(t, dir); again.Fingerprint() != a.Fingerprint() || string(again.Certificate()) == string(a.Certificate()) {
			t.Errorf("%s: renewed, the farm has the fingerprint %s, before %s", name, again.Fingerprint(), a.Fingerprint())
		}
	}
}

func TestUnsuitableAuthoritiesAreRefused(t *testing.T) {
	s, key := newStudio(t), newKey(t)
	_, another := s.issue(newKey(t), asItIs)
	for words, edit := range map[string]func(*x509.Certificate){
		"not that of an authority": func(c *x509.Certificate) {
			c.IsCA, c.MaxPathLenZero, c.KeyUsage = false, false, x509.KeyUsageDigitalSignature
		},
		"expired on 2026-11-21":                                func(c *x509.Certificate) { c.NotAfter = noon.Add(-time.Minute) },
		"not valid before 2026-11-22":                          func(c *x509.Certificate) { c.NotBefore = noon.AddDate(0, 0, 1) },
		"it may not issue certificates to agents":              func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth} },
		"it may not issue certificates to coordinators: x509:": func(c *x509.Certificate) { c.PermittedDNSDomains = []string{"studio.example"} },
		"it may not sign certificates":                         func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageDigitalSignature },
	} {
		certificate, keyFile := s.issue(key, edit)
		dir := t.TempDir()
		if err := authority.Install(dir, certificate, keyFile, noon); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: it left %v, %v", words, left, err)
		}
	}
	certificate, keyFile := s.issue(key, asItIs)
	if err := authority.Install(t.TempDir(), certificate, another, noon); err == nil || !strings.Contains(err.Error(), "is not the key of") {
		t.Errorf("another's key: %v", err)
	}
	if err := authority.Install(t.TempDir(), keyFile, keyFile, noon); err == nil || !strings.Contains(err.Error(), "holds no certificate") {
		t.Errorf("a key for a certificate: %v", err)
	}
	dir := t.TempDir()
	own := load(t, dir)
	if err := authority.Install(dir, certificate, keyFile, noon); err == nil || !strings.Contains(err.Error(), "has another authority") {
		t.Errorf("on a farm with its own: %v", err)
	}
	if load(t, dir).Fingerprint() != own.Fingerprint() {
		t.Error("the farm's authority was replaced")
	}
}

// Throughout a year a coordinator's certificate is valid for days to come, and of the same authority.
func TestCoordinatorCertificatesOverAYear(t *testing.T) {
	a := load(t, t.TempDir())
	now := noon
	clock := func() time.Time { return now }
	for name, server := range map[string]*authority.Server{"callers": a.Server([]string{"farm.local"}, clock), "nodes": a.Node("n1", clock)} {
		seen := map[string]bool{}
		for now = noon; now.Before(noon.AddDate(1, 0, 0)); now = now.Add(7 * time.Hour) {
			certificate, err := server.Certificate()
			if err != nil {
				t.Fatal(err)
			}
			leaf := certificate.Leaf
			seen[leaf.SerialNumber.String()] = true
			if now.Before(leaf.NotBefore) || leaf.NotAfter.Sub(now) < authority.ServerLife/4 {
				t.Fatalf("%s: on %v it is good from %v until %v", name, now, leaf.NotBefore, leaf.NotAfter)
			}
			if _, err := leaf.Verify(x509.VerifyOptions{Roots: a.Pool(), CurrentTime: now}); err != nil {
				t.Fatal(err)
			}
		}
		if len(seen) < 17 || len(seen) > 20 {
			t.Errorf("%s: %d certificates in a year", name, len(seen))
		}
	}
}
