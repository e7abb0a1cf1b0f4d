//go:build linux

package cluster_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/farmtest"
	"overcrank/raftstore/porttest"
)

// fileNode prepares a coordinator whose settings stand in a file.
func fileNode(t *testing.T) (n *memberNode, set func(lines ...string)) {
	t.Helper()
	n = newMember(t, "")
	path := filepath.Join(t.TempDir(), "coordinator.yaml")
	n.flags = []string{"--config", path}
	return n, func(lines ...string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("min-free: 1\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// hangUp has the coordinator read its settings again.
func (n *memberNode) hangUp() {
	n.t.Helper()
	if err := n.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		n.t.Fatal(err)
	}
}

// TestSettingsAreTakenUpBeforeThereIsAFarm begins with mistakes that keep a farm from beginning: a coordinator that does not find the others,
// and one whose storage is not there. Neither has to be started again.
func TestSettingsAreTakenUpBeforeThereIsAFarm(t *testing.T) {
	t.Parallel()
	storage, key := t.TempDir(), filepath.Join(t.TempDir(), "farm.key")
	if err := os.WriteFile(key, []byte(strings.Repeat("ef", 32)), 0o600); err != nil {
		t.Fatal(err)
	}
	one, setOne := fileNode(t)
	two, setTwo := fileNode(t)
	settings := func(storage, join string) []string {
		return []string{"storage: " + storage, "join: " + join, "bootstrap-expect: 2", "farm-key-file: " + key}
	}
	setOne(settings(storage, porttest.Address(t))...)
	setTwo(settings(filepath.Join(storage, "missing"), porttest.Address(t))...)
	one.start()
	two.start()
	farmtest.Await(t, "the one to wait", func() bool {
		return strings.Contains(one.readyz(), "2 coordinators are to begin the farm, 1 are there")
	})
	farmtest.Await(t, "the other to wait", func() bool { return strings.Contains(two.readyz(), "is the share mounted?") })

	setTwo("no-such-thing: 1")
	two.hangUp()
	farmtest.Await(t, "words about the mistake", func() bool { return strings.Contains(two.said.String(), "the old ones stay in force") })
	setTwo(settings(storage, porttest.Address(t))...)
	two.hangUp()
	farmtest.Await(t, "the other to look for the first", func() bool {
		return strings.Contains(two.readyz(), "2 coordinators are to begin the farm, 1 are there")
	})
	setOne(settings(storage, two.internal)...)
	one.hangUp()
	one.awaitReady()
	two.awaitReady()
	agree(t, tokenIn(t, one, two), 2, one, two)
}

// TestACoordinatorStartsWithoutTheCopyOfItsKey removes what the key came in, as it is told to, and leaves the flag.
func TestACoordinatorStartsWithoutTheCopyOfItsKey(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "farm.key")
	n := newMember(t, t.TempDir(), "--farm-key-file", key)
	n.start()
	<-n.done
	if said := n.said.String(); !strings.Contains(said, key) {
		t.Errorf("without a key it says %s", said)
	}
	for i, text := range []string{strings.Repeat("ab", 32), "", strings.Repeat("cd", 32)} {
		if text == "" {
			if err := os.Remove(key); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(key, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		n.start()
		if i < 2 {
			n.awaitReady()
			n.end(syscall.SIGTERM)
			continue
		}
		<-n.done
		if said := n.said.String(); !strings.Contains(said, "another farm's key") {
			t.Errorf("with another key it says %s", said)
		}
	}
}

// TestCoordinatorsWithTheStudiosAuthorityBeginWithOneKeyForSecrets founds a farm whose authority is not derived from its key.
func TestCoordinatorsWithTheStudiosAuthorityBeginWithOneKeyForSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "studio.crt"), filepath.Join(dir, "studio.key")
	writeAuthority(t, certificate, key)
	nodes, _ := foundTogether(t, 3, "--ca-cert", certificate, "--ca-key", key)
	sameKeys(t, nodes...)
}

// writeAuthority makes an authority as a studio issues it.
func writeAuthority(t *testing.T, certificatePath, keyPath string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Studio farm authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(1000 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{certificatePath: {Type: "CERTIFICATE", Bytes: certificate}, keyPath: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
