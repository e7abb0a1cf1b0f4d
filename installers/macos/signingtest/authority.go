// Package signingtest is a certificate authority for tests, in the place of Apple's: identities that sign programs and packages, and a
// timestamp authority that runs openssl.
package signingtest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"overcrank/installers/macos/codesign"
	"software.sslmate.com/src/go-pkcs12"
)

// keys are made once for all tests of a package: they take longer than the tests.
var keys = sync.OnceValues(func() ([2]*rsa.PrivateKey, error) {
	ca, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return [2]*rsa.PrivateKey{}, err
	}
	leaf, err := rsa.GenerateKey(rand.Reader, 2048)
	return [2]*rsa.PrivateKey{ca, leaf}, err
})

// Authority signs certificates.
type Authority struct {
	certificate *x509.Certificate
	key, leaf   *rsa.PrivateKey
}

// NewAuthority returns an authority that nothing knows yet.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	pair, err := keys()
	if err != nil {
		t.Fatal(err)
	}
	a := &Authority{key: pair[0], leaf: pair[1]}
	a.certificate = a.issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "Test root " + rand.Text(), Organization: []string{"Apple Inc."}}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign,
	}, a.key)
	return a
}

func (a *Authority) issue(t testing.TB, template *x509.Certificate, key *rsa.PrivateKey) *x509.Certificate {
	t.Helper()
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	above := a.certificate
	if above == nil {
		above = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, above, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Roots is the pool with the authority alone.
func (a *Authority) Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// PEM is the authority's certificate.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// Identity is one that may sign programs and packages of a team.
func (a *Authority) Identity(t testing.TB, name, team string) *codesign.Identity {
	t.Helper()
	leaf := a.issue(t, &x509.Certificate{
		Subject:  pkix.Name{CommonName: name, OrganizationalUnit: []string{team}},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
	}, a.leaf)
	return &codesign.Identity{Key: a.leaf, Chain: []*x509.Certificate{leaf, a.certificate}}
}

// P12 is an identity as a file that people keep.
func (a *Authority) P12(t testing.TB, identity *codesign.Identity, password string) []byte {
	t.Helper()
	data, err := pkcs12.Modern.Encode(identity.Key, identity.Chain[0], identity.Chain[1:], password)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const timestampConfig = `[tsa]
default_tsa = it
[it]
serial = serial
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
signer_digest = sha256
`

// TimestampServer starts an RFC 3161 authority on this machine and returns its address. Without openssl it returns "".
func (a *Authority) TimestampServer(t testing.TB) string {
	t.Helper()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Log("openssl is not installed: signatures are tested without their time")
		return ""
	}
	usage, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
	if err != nil {
		t.Fatal(err)
	}
	certificate := a.issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "Test timestamps"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: usage}},
	}, a.leaf)
	dir := t.TempDir()
	for name, data := range map[string][]byte{
		"tsa.cnf": []byte(timestampConfig), "serial": []byte("01\n"),
		"tsa.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}),
		"key.pem": pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(a.leaf)}),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var one sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one.Lock()
		defer one.Unlock()
		query, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "query"), query, 0o600)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		reply := exec.CommandContext(r.Context(), openssl, "ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query",
			"-signer", "tsa.pem", "-inkey", "key.pem", "-out", "reply")
		reply.Dir = dir
		if out, err := reply.CombinedOutput(); err != nil {
			http.Error(w, string(out), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/timestamp-reply")
		http.ServeFile(w, r, filepath.Join(dir, "reply"))
	}))
	t.Cleanup(server.Close)
	return server.URL
}
