// Package releasetest makes releases of the agent's program for tests, with keys of its own.
package releasetest

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"aead.dev/minisign"

	"overcrank/farm/wire"
	"overcrank/release"
)

// House makes and signs releases as a software house does.
type House struct {
	Roots    string // file with the public root key
	Signer   release.Signer
	Protocol int // version of the agents' protocol that its releases speak
}

// New returns a house with a root key and one release key.
func New(t testing.TB) *House {
	t.Helper()
	rootPublic, root := key(t)
	public, secret := key(t)
	h := &House{Roots: filepath.Join(t.TempDir(), "roots.pub"), Signer: release.Signer{Key: secret}, Protocol: wire.Version}
	if err := os.WriteFile(h.Roots, []byte(rootPublic.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := release.Keys{Product: release.Agent, Serial: 1, Expires: time.Now().AddDate(1, 0, 0), Public: []string{public.String()}}
	var err error
	if h.Signer.Keys, h.Signer.KeysSignature, err = release.SignKeys(keys, root); err != nil {
		t.Fatal(err)
	}
	return h
}

func key(t testing.TB) (minisign.PublicKey, minisign.PrivateKey) {
	t.Helper()
	public, secret, err := minisign.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public, secret
}

// Release makes a release of one program for this machine, in a folder of its own.
func (h *House) Release(t testing.TB, version string, number int64, program []byte) (folder string) {
	t.Helper()
	folder = t.TempDir()
	file := release.File{System: runtime.GOOS, Arch: release.Universal, Name: release.Agent + "-" + runtime.GOOS + "-" + release.Universal}
	if err := os.WriteFile(filepath.Join(folder, file.Name), program, 0o755); err != nil {
		t.Fatal(err)
	}
	m := release.Manifest{
		Product: release.Agent, Version: version, Number: number, NotBefore: time.Now().Add(-time.Hour), Expires: time.Now().AddDate(0, 1, 0),
		Protocol: release.Protocol{Min: h.Protocol, Max: h.Protocol}, Files: []release.File{file},
	}
	if _, err := release.Sign(folder, m, h.Signer); err != nil {
		t.Fatal(err)
	}
	return folder
}
