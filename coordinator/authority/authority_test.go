package authority_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/authority"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func load(t *testing.T, dir string) *authority.Authority {
	t.Helper()
	a, err := authority.Load(dir, "farm", noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Keep(dir); err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAuthorityOutlivesRestarts(t *testing.T) {
	dir := t.TempDir()
	first := load(t, dir)
	again := load(t, dir)
	if again.Fresh() || again.Fingerprint() != first.Fingerprint() || string(again.Certificate()) != string(first.Certificate()) {
		t.Error("a restart made another authority")
	}
	if err := os.Remove(filepath.Join(dir, authority.CertificateFile)); err != nil {
		t.Fatal(err)
	}
	mended := load(t, dir)
	if mended.Fingerprint() != first.Fingerprint() {
		t.Error("with its certificate gone the authority became another")
	}
	if string(load(t, dir).Certificate()) != string(mended.Certificate()) {
		t.Error("the certificate that was made again was not kept")
	}
	for _, name := range []string{authority.KeyFile, authority.CertificateFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v, %v", name, info, err)
		}
	}
}

func TestDamagedAuthorityIsRefused(t *testing.T) {
	write := func(name, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	other := t.TempDir()
	load(t, other)
	foreign, err := os.ReadFile(filepath.Join(other, authority.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string)
		words string
	}{
		"key empty":          {write(authority.KeyFile, ""), "no PEM block"},
		"key nonsense":       {write(authority.KeyFile, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), "ca.key is damaged"},
		"key of another":     {write(authority.KeyFile, string(foreign)), "the same backup"},
		"certificate empty":  {write(authority.CertificateFile, ""), "no PEM block"},
		"certificate broken": {write(authority.CertificateFile, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), "ca.crt is damaged"},
		"key gone": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, authority.KeyFile)); err != nil {
				t.Fatal(err)
			}
		}, "ca.key is gone"},
	} {
		dir := t.TempDir()
		load(t, dir)
		c.spoil(t, dir)
		if _, err := authority.Load(dir, "farm", noon); err == nil || !strings.Contains(err.Error(), c.words) || !strings.Contains(err.Error(), "backup") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnsupportedKeysAreRefused(t *testing.T) {
	wide, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	request := func(key any) []byte {
		der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	forged := request(good)
	forged[len(forged)-1] ^= 1
	for name, der := range map[string][]byte{"P-384": request(wide), "RSA": request(long), "forged": forged, "nonsense": []byte("x"), "nothing": nil} {
		if _, err := authority.ReadRequest(der); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := authority.ReadRequest(request(good)); err != nil {
		t.Error(err)
	}
}

// Names in a machine's request do not reach its certificate.
func TestAgentCertificateIgnoresTheRequestsNames(t *testing.T) {
	a := load(t, t.TempDir())
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	wish := &x509.CertificateRequest{DNSNames: []string{"coordinator.overcrank.internal"}}
	wish.Subject.CommonName = "somebody else"
	der, err := x509.CreateCertificateRequest(rand.Reader, wish, key)
	if err != nil {
		t.Fatal(err)
	}
	request, err := authority.ReadRequest(der)
	if err != nil {
		t.Fatal(err)
	}
	until := noon.Add(90 * 24 * time.Hour)
	if der, err = a.Agent(request, "farm", "agent-1", noon, until); err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	if leaf.Subject.CommonName != "agent-1" || len(leaf.DNSNames) != 0 || leaf.IsCA || !leaf.NotAfter.Equal(until) || len(leaf.URIs) != 1 {
		t.Errorf("the certificate is for %v %v %v, until %v", leaf.Subject, leaf.DNSNames, leaf.URIs, leaf.NotAfter)
	}
	if id, err := authority.AgentOf(leaf, "farm"); err != nil || id != "agent-1" {
		t.Errorf("it is for the agent %q, %v", id, err)
	}
	if _, err := authority.AgentOf(leaf, "another"); err == nil {
		t.Error("it is for an agent of another farm too")
	}
	options := x509.VerifyOptions{Roots: a.Pool(), CurrentTime: noon, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if _, err := leaf.Verify(options); err != nil {
		t.Error(err)
	}
	options.KeyUsages = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if _, err := leaf.Verify(options); err == nil {
		t.Error("an agent can be taken for a coordinator")
	}
}

func TestCoordinatorCertificateIsRenewed(t *testing.T) {
	now := noon
	server := load(t, t.TempDir()).Server([]string{"farm.local", "10.0.0.7"}, func() time.Time { return now })
	serial := func() string {
		t.Helper()
		certificate, err := server.Certificate()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"farm.local", "10.0.0.7"} {
			if err := certificate.Leaf.VerifyHostname(name); err != nil {
				t.Error(err)
			}
		}
		if len(certificate.Certificate) != 2 {
			t.Errorf("it comes with %d certificates, want the authority's behind it", len(certificate.Certificate)-1)
		}
		return certificate.Leaf.SerialNumber.String()
	}
	first := serial()
	now = noon.Add(authority.ServerLife*2/3 - time.Minute)
	if serial() != first {
		t.Error("it was replaced before its time")
	}
	now = now.Add(2 * time.Minute)
	second := serial()
	if second == first {
		t.Error("it was not replaced when a third of its time was left")
	}
	now = noon.Add(-365 * 24 * time.Hour) // the clock was set back
	if serial() == second {
		t.Error("a certificate that is not good yet stays")
	}
}
