package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// renewStudioCertificate writes a certificate with a serial number into dir, as some program does that renews it.
func renewStudioCertificate(t *testing.T, dir string, serial int64, written time.Time) nodeFlags {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"farm.studio.example"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	f := nodeFlags{TLSCert: filepath.Join(dir, "farm.crt"), TLSKey: filepath.Join(dir, "farm.key")}
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
	files := &certificateFiles{certificate: f.TLSCert, key: f.TLSKey}
	serial := func() int64 {
		t.Helper()
		files.looked = time.Time{} // as after a while
		loaded, err := files.current()
		if err != nil {
			t.Fatal(err)
		}
		return loaded.Leaf.SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Fatalf("the certificate is number %d", got)
	}
	renewStudioCertificate(t, dir, 2, time.Now())
	if got := serial(); got != 2 {
		t.Errorf("after its renewal it is number %d", got)
	}
	if err := os.WriteFile(f.TLSCert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != 2 {
		t.Errorf("while it is being written it is number %d", got)
	}
	if _, err := (nodeFlags{TLSCert: f.TLSCert, TLSKey: f.TLSKey}).studioCertificate(); err == nil {
		t.Error("a farm starts with a certificate that cannot be read")
	}
}

func TestNamesOfANode(t *testing.T) {
	list := nodeNames(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 8080}, nodeFlags{PublicAddress: "https://farm.studio.example:8443"})
	for _, want := range []string{"localhost", "127.0.0.1", "::1", "10.0.0.7", "farm.studio.example"} {
		if !slices.Contains(list, want) {
			t.Errorf("%v lack %s", list, want)
		}
	}
	if all := nodeNames(&net.TCPAddr{IP: net.IPv4zero}, nodeFlags{}); slices.Contains(all, "0.0.0.0") || slices.Contains(all, "") {
		t.Errorf("the names are %v", all)
	}
}
