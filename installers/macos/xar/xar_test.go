package xar_test

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/installers/macos/signingtest"
	"overcrank/installers/macos/xar"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func files() []xar.File {
	return []xar.File{
		{Path: "Distribution", Data: []byte(strings.Repeat("<installer/>\n", 200))},
		{Path: "a.pkg", Dir: true},
		{Path: "a.pkg/Payload", Data: []byte("packed already"), Stored: true},
		{Path: "a.pkg/Empty"},
	}
}

func written(t testing.TB, signer *xar.Signer) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := xar.Write(&out, files(), noon, signer); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAnArchiveIsReadBack(t *testing.T) {
	t.Parallel()
	data := written(t, nil)
	if !bytes.Equal(data, written(t, nil)) {
		t.Error("the same files give other bytes")
	}
	a, err := xar.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Files) != 4 || !a.Created.Equal(noon) {
		t.Errorf("%d files, made %s", len(a.Files), a.Created)
	}
	for _, want := range files() {
		got := xar.Find(a.Files, want.Path)
		if got == nil || got.Dir != want.Dir || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%s: %+v", want.Path, got)
		}
	}
	if _, err := a.Verify(x509.NewCertPool()); !errors.Is(err, xar.ErrUnsigned) {
		t.Errorf("verifying what is not signed: %v", err)
	}
}

func TestOthersReadIt(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.xar")
	if err := os.WriteFile(file, written(t, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"7z", "t", file}, {"7z", "l", file}, {"bsdtar", "-tvf", file}, {"xar", "-tvf", file}} {
		program, err := exec.LookPath(command[0])
		if err != nil {
			t.Logf("%s is not installed: scripts/require packages", command[0])
			continue
		}
		out, err := exec.Command(program, command[1:]...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", command, err, out)
		}
		if command[1] != "t" && !strings.Contains(string(out), "a.pkg/Payload") {
			t.Errorf("%v does not show the payload:\n%s", command, out)
		}
	}
}

func TestEveryChangedByteIsSeen(t *testing.T) {
	t.Parallel()
	whole := written(t, nil)
	for i := range whole {
		changed := bytes.Clone(whole)
		changed[i] ^= 0x40
		if _, err := xar.Read(changed); !errors.Is(err, xar.ErrFormat) {
			t.Errorf("byte %d of %d: %v", i, len(whole), err)
		}
		if _, err := xar.Read(whole[:i]); !errors.Is(err, xar.ErrFormat) {
			t.Errorf("%d of %d bytes: %v", i, len(whole), err)
		}
	}
}

func TestWhatIsNoTreeIsRefused(t *testing.T) {
	t.Parallel()
	for _, list := range [][]xar.File{{{Path: "a/b"}}, {{Path: "../a"}}, {{Path: "/a"}}, {{Path: "."}}} {
		if err := xar.Write(&bytes.Buffer{}, list, noon, nil); err == nil {
			t.Errorf("%+v was written", list)
		}
	}
}

func TestASignedArchive(t *testing.T) {
	t.Parallel()
	authority := signingtest.NewAuthority(t)
	identity := authority.Identity(t, "Developer ID Installer: Test (TEAM123456)", "TEAM123456")
	signer := &xar.Signer{Key: identity.Key, Chain: identity.Chain, TimestampServer: authority.TimestampServer(t)}
	data := written(t, signer)
	a, err := xar.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := a.Verify(authority.Roots())
	if err != nil || chain[0].Subject.CommonName != "Developer ID Installer: Test (TEAM123456)" {
		t.Fatalf("%v, signed by %v", err, chain)
	}
	if _, err := a.Verify(signingtest.NewAuthority(t).Roots()); !errors.Is(err, xar.ErrSignature) {
		t.Errorf("an authority that did not sign: %v", err)
	}
	openSSLAgrees(t, a, identity.Chain[0], authority)

	// Whatever is changed is seen. CMS carries copies of certificates that nothing is made of, and so is tried by itself.
	cms, err := a.CMS()
	if err != nil {
		t.Fatal(err)
	}
	from := bytes.Index(data, cms)
	for i := 0; i < len(data); i++ {
		if i == from {
			i = len(data) - len("packed already")*3 // behind what pads it
		}
		changed := bytes.Clone(data)
		changed[i] ^= 1
		if valid(changed, authority.Roots()) {
			t.Errorf("byte %d of %d was changed, and nobody saw it", i, len(data))
		}
	}
	for _, i := range []int{0, 40, len(cms) / 2} {
		changed := bytes.Clone(data)
		clear(changed[from+i:][:64])
		if valid(changed, authority.Roots()) {
			t.Errorf("the CMS signature was overwritten at %d, and nobody saw it", i)
		}
	}
}

func valid(data []byte, roots *x509.CertPool) bool {
	a, err := xar.Read(data)
	if err != nil {
		return false
	}
	_, err = a.Verify(roots)
	return err == nil
}

// openSSLAgrees checks both signatures with a program that is not ours.
func openSSLAgrees(t *testing.T, a *xar.Archive, leaf *x509.Certificate, authority *signingtest.Authority) {
	t.Helper()
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl is not installed")
	}
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	raw, err := a.RSA()
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(leaf.PublicKey.(*rsa.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	der, err := a.CMS()
	if err != nil {
		t.Fatal(err)
	}
	digest := put("digest", a.Digest())
	key := put("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))
	ca := put("ca.pem", authority.PEM())
	for _, args := range [][]string{
		{"pkeyutl", "-verify", "-pubin", "-inkey", key, "-in", digest, "-sigfile", put("rsa", raw), "-pkeyopt", "digest:sha1"},
		{"cms", "-verify", "-inform", "DER", "-in", put("cms", der), "-binary", "-content", digest, "-CAfile", ca, "-purpose", "any", "-out", os.DevNull},
	} {
		if out, err := exec.Command(openssl, args...).CombinedOutput(); err != nil {
			t.Errorf("openssl %s: %v\n%s", args[0], err, out)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := xar.Read(data)
		if err != nil {
			if !errors.Is(err, xar.ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		if _, err := a.Verify(x509.NewCertPool()); err == nil {
			t.Fatal("signed by nobody, and valid")
		}
	})
}
