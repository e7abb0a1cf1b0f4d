package windows

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// Signing names the certificate that signs programs and packages. The zero value makes one for tests, which no machine trusts by itself.
type Signing struct {
	PKCS12       string // file with the certificate and its key
	PasswordFile string // file whose first line is the password of PKCS12, or the PIN of the token

	Module      string // the library of a PKCS#11 token, in place of PKCS12
	Certificate string // the certificate on the token, a PKCS#11 URI, or a file with it
	Key         string // the key on the token, a PKCS#11 URI

	Timestamp string // address of a time-stamping server (RFC 3161); without one, signatures end with the certificate
	Authority string // file with the authority of the certificate, to check the signature against; without it, only what was signed is checked
}

// SigningFrom reads the studio's certificate from settings, such as os.Getenv has them.
func SigningFrom(setting func(string) string) (Signing, error) {
	s := Signing{
		PKCS12: setting("OVERCRANK_SIGNING_PKCS12"), PasswordFile: setting("OVERCRANK_SIGNING_PASSWORD_FILE"),
		Module: setting("OVERCRANK_SIGNING_PKCS11_MODULE"), Certificate: setting("OVERCRANK_SIGNING_CERTIFICATE"), Key: setting("OVERCRANK_SIGNING_KEY"),
		Timestamp: setting("OVERCRANK_SIGNING_TIMESTAMP"), Authority: setting("OVERCRANK_SIGNING_AUTHORITY"),
	}
	switch {
	case s.PKCS12 != "" && s.Module != "":
		return s, errors.New("OVERCRANK_SIGNING_PKCS12 and OVERCRANK_SIGNING_PKCS11_MODULE are both set: sign with one of them")
	case s.Module != "" && (s.Certificate == "" || s.Key == ""):
		return s, errors.New("OVERCRANK_SIGNING_PKCS11_MODULE needs OVERCRANK_SIGNING_CERTIFICATE and OVERCRANK_SIGNING_KEY, which say what to sign with on the token")
	}
	return s, nil
}

// signer signs with osslsigncode.
type signer struct {
	with      []string // the arguments that name certificate and key
	timestamp []string
	authority string // file with the certificate that signatures are checked against; "" to check only what was signed
	test      bool
}

// signer makes ready to sign. A certificate for tests and its key go into the folder work.
func (s Signing) signer(work string) (signer, error) {
	made := signer{authority: s.Authority}
	if s.Timestamp != "" {
		made.timestamp = []string{"-ts", s.Timestamp}
	}
	switch {
	case s.PKCS12 != "":
		made.with = []string{"-pkcs12", s.PKCS12}
	case s.Module != "":
		made.with = []string{"-pkcs11module", s.Module, "-pkcs11cert", s.Certificate, "-key", s.Key}
		if _, err := os.Stat(s.Certificate); err == nil {
			made.with = []string{"-pkcs11module", s.Module, "-certs", s.Certificate, "-key", s.Key}
		}
	default:
		return testSigner(work)
	}
	if s.PasswordFile != "" {
		made.with = append(made.with, "-readpass", s.PasswordFile)
	}
	return made, nil
}

const (
	testKeyBits  = 3072
	testLifetime = 365 * 24 * time.Hour
)

// testSigner makes an authority and a certificate that are forgotten with the folder.
func testSigner(work string) (signer, error) {
	authorityKey, err := rsa.GenerateKey(rand.Reader, testKeyBits)
	if err != nil {
		return signer{}, fmt.Errorf("making a key for tests: %w", err)
	}
	key, err := rsa.GenerateKey(rand.Reader, testKeyBits)
	if err != nil {
		return signer{}, fmt.Errorf("making a key for tests: %w", err)
	}
	now := time.Now()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Overcrank test signing, trusted by nobody"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(testLifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "Overcrank (test certificate)"}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
	}
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return signer{}, fmt.Errorf("making an authority for tests: %w", err)
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), authorityKey)
	if err != nil {
		return signer{}, fmt.Errorf("making a certificate for tests: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return signer{}, fmt.Errorf("writing the key for tests: %w", err)
	}
	files := map[string]*pem.Block{
		"authority.pem":   {Type: "CERTIFICATE", Bytes: authorityDER},
		"certificate.pem": {Type: "CERTIFICATE", Bytes: leafDER},
		"key.pem":         {Type: "PRIVATE KEY", Bytes: keyDER},
	}
	for name, block := range files {
		if err := os.WriteFile(filepath.Join(work, name), pem.EncodeToMemory(block), 0o600); err != nil {
			return signer{}, fmt.Errorf("writing the certificate for tests: %w", err)
		}
	}
	return signer{
		with:      []string{"-certs", filepath.Join(work, "certificate.pem"), "-ac", filepath.Join(work, "authority.pem"), "-key", filepath.Join(work, "key.pem")},
		authority: filepath.Join(work, "authority.pem"), test: true,
	}, nil
}

// sign writes a signed copy of a program or a package and checks it.
func (s signer) sign(ctx context.Context, from, to, description string) error {
	args := append([]string{"sign", "-h", "sha256", "-n", description}, s.with...)
	args = append(args, s.timestamp...)
	if filepath.Ext(from) == ".msi" {
		args = append(args, "-add-msi-dse") // the signature covers names and times within the package too
	}
	if _, err := run(ctx, "osslsigncode", append(args, "-in", from, "-out", to)...); err != nil {
		return fmt.Errorf("signing %s: %w", filepath.Base(to), err)
	}
	return Verify(ctx, to, s.authority)
}

// digests are the lines in which osslsigncode says what was signed, and what is there now.
var digests = regexp.MustCompile(`(?m)^(Current|Calculated) ([\w ]*\w) *: ([0-9A-F]{32,})`)

// Verify checks the signature of a program or a package against the authority in a file. When that is "", only what was signed is compared with what is there:
// the authorities of code signing are not among those that Linux knows.
func Verify(ctx context.Context, path, authority string) error {
	args := []string{"verify", "-in", path}
	if authority != "" {
		args = append(args, "-CAfile", authority)
	}
	said, err := run(ctx, "osslsigncode", args...)
	if err == nil || authority != "" {
		return checking(path, err)
	}
	signed, there := map[string]string{}, map[string]string{}
	for _, m := range digests.FindAllStringSubmatch(said, -1) {
		if m[1] == "Current" {
			signed[m[2]] = m[3]
		} else {
			there[m[2]] = m[3]
		}
	}
	if len(signed) == 0 {
		return checking(path, err)
	}
	for what, digest := range signed {
		if there[what] != digest {
			return checking(path, fmt.Errorf("it is not what was signed: the %s is %s, not %s", what, there[what], digest))
		}
	}
	return nil
}

func checking(path string, err error) error {
	if err != nil {
		return fmt.Errorf("checking the signature of %s: %w", filepath.Base(path), err)
	}
	return nil
}

// publish copies a test authority beside what it signed, for machines on which tests shall trust it.
func (s signer) publish(dist string, made []string) ([]string, error) {
	if !s.test {
		return made, nil
	}
	text, err := os.ReadFile(s.authority)
	if err != nil {
		return made, fmt.Errorf("reading the authority for tests: %w", err)
	}
	path := filepath.Join(dist, "overcrank-test-signing.pem")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return made, fmt.Errorf("writing the authority for tests: %w", err)
	}
	return append(made, path), nil
}
