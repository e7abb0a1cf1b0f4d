package codesign_test

import (
	"bytes"
	"crypto/x509"
	"debug/macho"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"overcrank/installers/macos/codesign"
	"overcrank/installers/macos/signingtest"
)

// programs builds a small program for both processors, once for all tests.
var programs = sync.OnceValues(func() ([]string, error) {
	dir, err := os.MkdirTemp("", "codesign-test-*")
	if err != nil {
		return nil, err
	}
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\nfunc main() { println(\"hello\") }\n"), 0o600); err != nil {
		return nil, err
	}
	var built []string
	for _, arch := range []string{"amd64", "arm64"} {
		out := filepath.Join(dir, arch)
		build := exec.Command("go", "build", "-o", out, source)
		build.Env = append(os.Environ(), "GOOS=darwin", "GOARCH="+arch, "CGO_ENABLED=0")
		if said, err := build.CombinedOutput(); err != nil {
			return nil, errors.New(string(said))
		}
		built = append(built, out)
	}
	return built, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if built, err := programs(); err == nil {
		_ = os.RemoveAll(filepath.Dir(built[0]))
	}
	os.Exit(code)
}

func universal(t testing.TB, identity *codesign.Identity) []byte {
	t.Helper()
	built, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := codesign.Universal(path, built, "studio.overcrank.test", identity); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestASignatureThatIsAdHoc(t *testing.T) {
	t.Parallel()
	program := universal(t, nil)
	if !bytes.Equal(program, universal(t, nil)) {
		t.Error("signing the same programs again gives other bytes")
	}
	all, err := codesign.Verify(program, x509.NewCertPool())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].CPU != macho.CpuAmd64 || all[1].CPU != macho.CpuArm64 {
		t.Fatalf("%+v", all)
	}
	for _, code := range all {
		if code.Flags != codesign.AdHoc || code.Identifier != "studio.overcrank.test" || code.Pages < 100 || code.Chain != nil || code.Team != "" {
			t.Errorf("%+v", code)
		}
	}
	fat, err := macho.NewFatFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range fat.Arches {
		segment := part.Segment("__LINKEDIT")
		if segment.Offset+segment.Filesz != uint64(part.Size) || segment.Memsz < segment.Filesz {
			t.Errorf("%s: the last segment does not end with the file of %d bytes: %+v", part.Cpu, part.Size, segment.SegmentHeader)
		}
	}
}

func TestASignatureByTheStudio(t *testing.T) {
	t.Parallel()
	authority := signingtest.NewAuthority(t)
	identity, err := codesign.ReadIdentity(authority.P12(t, authority.Identity(t, "Developer ID Application: Test", "TEAM123456"), "secret"), "secret")
	if err != nil {
		t.Fatal(err)
	}
	if identity.Team() != "TEAM123456" || len(identity.Chain) != 2 {
		t.Fatalf("team %q, %d certificates", identity.Team(), len(identity.Chain))
	}
	identity.TimestampServer = authority.TimestampServer(t)
	program := universal(t, identity)
	all, err := codesign.Verify(program, authority.Roots())
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range all {
		if code.Flags != codesign.HardenedRuntime || code.Team != "TEAM123456" || code.Chain[0].Subject.CommonName != "Developer ID Application: Test" {
			t.Errorf("%+v", code)
		}
	}
	if _, err := codesign.Verify(program, signingtest.NewAuthority(t).Roots()); !errors.Is(err, codesign.ErrSignature) {
		t.Errorf("an authority that did not sign: %v", err)
	}
	if _, err := codesign.ReadIdentity(authority.P12(t, identity, "secret"), "guess"); err == nil {
		t.Error("the wrong password opens the key")
	}
}

func TestEveryPageIsCovered(t *testing.T) {
	t.Parallel()
	program := universal(t, nil)
	fat, err := macho.NewFatFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range fat.Arches {
		end := part.Offset + part.Size
		signed := end - 5*0x1000 // what lies behind is the signature with its padding
		for at := part.Offset + 0x800; at < signed; at += 0x10000 {
			changed := bytes.Clone(program)
			changed[at] ^= 1
			if _, err := codesign.Verify(changed, nil); !errors.Is(err, codesign.ErrSignature) {
				t.Fatalf("%s: byte %d was changed: %v", part.Cpu, at, err)
			}
		}
	}
	if _, err := codesign.Verify(program[:len(program)-0x5000], nil); !errors.Is(err, codesign.ErrSignature) {
		t.Errorf("cut short: %v", err)
	}
}

func TestWhatTheCompilerLeavesIsNotEnough(t *testing.T) {
	t.Parallel()
	built, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	intel, err := os.ReadFile(built[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := codesign.Verify(intel, nil); !errors.Is(err, codesign.ErrSignature) {
		t.Errorf("a program without a signature: %v", err)
	}
	notOurs := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notOurs, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := codesign.Universal(filepath.Join(t.TempDir(), "p"), []string{notOurs}, "x", nil); err == nil {
		t.Error("a text was signed as a program")
	}
}

func FuzzVerify(f *testing.F) {
	program := universal(f, nil)
	f.Add(program[:0x4000])
	f.Add([]byte("\xca\xfe\xba\xbe"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := codesign.Verify(data, x509.NewCertPool()); err != nil && !errors.Is(err, codesign.ErrSignature) {
			t.Fatal(err)
		}
	})
}
