package windows_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/installers/windows"
)

func TestATamperedPackageIsRefused(t *testing.T) {
	t.Parallel()
	in := input(t, "0.1.0-123-gabcdef0")
	msi, authority := build(t, in), filepath.Join(in.Dist, "overcrank-test-signing.pem")
	if err := windows.Verify(t.Context(), msi, authority); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(msi)
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]int{"in the middle": len(text) / 2, "in a program": len(text) / 4} {
		changed := append([]byte{}, text...)
		changed[at] ^= 1
		path := filepath.Join(t.TempDir(), "tampered.msi")
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, by := range []string{authority, ""} {
			if err := windows.Verify(t.Context(), path, by); err == nil {
				t.Errorf("a package with one bit changed %s passes, checked against %q", name, by)
			}
		}
	}
	// What changes a property afterwards, as somebody who wants the machine to join another farm would, breaks the signature too.
	if out, err := exec.CommandContext(t.Context(), "msibuild", msi, "-q", "UPDATE `Property` SET `Value`='0' WHERE `Property`='ALLUSERS'").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := windows.Verify(t.Context(), msi, ""); err == nil {
		t.Error("a package with a changed property passes")
	}
}

// studioKey writes a certificate of the studio's own with its key as PKCS#12.
func studioKey(t *testing.T, password string) (file, authority string) {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is missing, which writes the certificate of this test")
	}
	dir := t.TempDir()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	certificate := &x509.Certificate{
		SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "A Studio"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	authority = filepath.Join(dir, "studio.pem")
	for path, block := range map[string]*pem.Block{authority: {Type: "CERTIFICATE", Bytes: der}, filepath.Join(dir, "key.pem"): {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file = filepath.Join(dir, "studio.p12")
	cmd := exec.CommandContext(t.Context(), "openssl", "pkcs12", "-export", "-in", authority, "-inkey", filepath.Join(dir, "key.pem"), "-out", file, "-passout", "pass:"+password)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file, authority
}

func TestTheStudiosCertificateSigns(t *testing.T) {
	t.Parallel()
	in := input(t, "0.1.0")
	const password = "kept in a file"
	file, authority := studioKey(t, password)
	passwords := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(passwords, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{"OVERCRANK_SIGNING_PKCS12": file, "OVERCRANK_SIGNING_PASSWORD_FILE": passwords}
	var err error
	if in.Signing, err = windows.SigningFrom(func(name string) string { return settings[name] }); err != nil {
		t.Fatal(err)
	}
	made, err := windows.Build(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range made {
		if strings.Contains(path, "test-signing") {
			t.Errorf("a certificate for tests is published beside the studio's signature: %s", path)
		}
	}
	if err := windows.Verify(t.Context(), filepath.Join(in.Dist, windows.Name(in.Version)), authority); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(passwords, []byte("another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := windows.Build(t.Context(), in); err == nil || strings.Contains(err.Error(), "another") {
		t.Errorf("with a wrong password the error is %v", err)
	}
}

func TestSigningSettingsThatContradictAreRefused(t *testing.T) {
	t.Parallel()
	for _, settings := range []map[string]string{
		{"OVERCRANK_SIGNING_PKCS12": "a.p12", "OVERCRANK_SIGNING_PKCS11_MODULE": "token.so"},
		{"OVERCRANK_SIGNING_PKCS11_MODULE": "token.so", "OVERCRANK_SIGNING_KEY": "pkcs11:object=key"},
	} {
		if _, err := windows.SigningFrom(func(name string) string { return settings[name] }); err == nil {
			t.Errorf("%v is taken", settings)
		}
	}
}

func TestTheSamePackageTwiceHasTheSameCodes(t *testing.T) {
	t.Parallel()
	in, again := input(t, "0.1.0-5-g1234567"), input(t, "0.1.0-6-g1234568")
	one := build(t, in)
	codes := func(msi string) (product, pack string) {
		rows, err := windows.Table(t.Context(), msi, "Property")
		if err != nil {
			t.Fatal(err)
		}
		summary, err := exec.CommandContext(t.Context(), "msiinfo", "suminfo", msi).Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(summary)) {
			if strings.HasPrefix(line, "Revision number") {
				pack = line
			}
		}
		return rows.Get("Property", "ProductCode", "Value"), pack
	}
	product, pack := codes(one)
	in.Dist = t.TempDir()
	if p, k := codes(build(t, in)); p != product || k != pack || pack == "" {
		t.Errorf("built again, the codes are %s and %s, not %s and %s", p, k, product, pack)
	}
	if p, k := codes(build(t, again)); p == product || k == pack {
		t.Errorf("the next version has the code %s or %s of the one before", p, k)
	}
}
