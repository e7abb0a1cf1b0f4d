package node

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// renewStudioCertificate writes a certificate with a serial number into dir, as some program does that renews it.
func renewStudioCertificate(t *testing.T, dir string, serial int64, written time.Time) Flags {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"farm.studio.example"}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	f := Flags{TLSCert: filepath.Join(dir, "farm.crt"), TLSKey: filepath.Join(dir, "farm.key")}
	for path, block := range map[string]*pem.Block{f.TLSCert: {Type: "CERTIFICATE", Bytes: der}, f.TLSKey: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(f.TLSCert, written, written); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestTheStudiosCertificateIsReadAgainWhenItIsRenewed(t *testing.T) {
	dir := t.TempDir()
	f := renewStudioCertificate(t, dir, 1, time.Now().Add(-time.Hour))
	var said bytes.Buffer
	now := time.Now()
	files, err := f.openStudioCertificate(slog.New(slog.NewTextHandler(&said, nil)), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	serial := func() int64 {
		t.Helper()
		files.reload()
		loaded, err := files.current()
		if err != nil {
			t.Fatal(err)
		}
		return loaded.Leaf.SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Fatalf("the certificate is number %d", got)
	}
	renewStudioCertificate(t, dir, 2, now)
	if got := serial(); got != 2 || files.check().Warn || !strings.Contains(said.String(), "was renewed") {
		t.Errorf("after its renewal it is number %d: %+v\n%s", got, files.check(), &said)
	}

	key, err := os.ReadFile(f.TLSKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(){
		"half of it": func() { write(t, f.TLSCert, "half") },
		"another's key": func() {
			renewStudioCertificate(t, dir, 3, now.Add(time.Minute))
			write(t, f.TLSKey, string(key))
		},
		"no file": func() {
			if err := os.Remove(f.TLSCert); err != nil {
				t.Fatal(err)
			}
		},
	} {
		said.Reset()
		spoil()
		if got := serial(); got != 2 {
			t.Errorf("%s: it is number %d", name, got)
		}
		if check := files.check(); !check.Warn || check.Err != nil || !strings.Contains(check.Found, "cannot be used") || strings.Count(said.String(), "level=ERROR") != 1 {
			t.Errorf("%s: told is %+v, and logged\n%s", name, check, &said)
		}
		if serial(); strings.Count(said.String(), "level=ERROR") != 1 {
			t.Errorf("%s: logged again is\n%s", name, &said)
		}
		if _, err := f.openStudioCertificate(slog.New(slog.DiscardHandler), time.Now); err == nil {
			t.Errorf("%s: a farm starts with it", name)
		}
		renewStudioCertificate(t, dir, 2, now.Add(time.Duration(len(name))*time.Second))
		serial()
	}
	now = now.Add(50 * time.Minute) // of the hour that it is good
	if check := files.check(); !check.Warn || !strings.Contains(check.Found, "expires on") {
		t.Errorf("shortly before its end: %+v", check)
	}
	now = now.Add(time.Hour)
	if check := files.check(); !check.Warn || !strings.Contains(check.Found, "expired on") {
		t.Errorf("after its end: %+v", check)
	}
	renewStudioCertificate(t, dir, 9, time.Now().Add(time.Hour)) // good until before now, which is later
	if got := serial(); got != 2 || !strings.Contains(files.check().Found, " expired on ") {
		t.Errorf("one that had expired already is used: %d, %+v", got, files.check())
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNamesOfANode(t *testing.T) {
	list := nodeNames(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 8080}, Flags{PublicAddress: "https://farm.studio.example:8443"})
	for _, want := range []string{"localhost", "127.0.0.1", "::1", "10.0.0.7", "farm.studio.example"} {
		if !slices.Contains(list, want) {
			t.Errorf("%v lack %s", list, want)
		}
	}
	if all := nodeNames(&net.TCPAddr{IP: net.IPv4zero}, Flags{}); slices.Contains(all, "0.0.0.0") || slices.Contains(all, "") {
		t.Errorf("the names are %v", all)
	}
}
