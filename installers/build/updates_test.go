package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/coordinator/downloads"
	"overcrank/installers/version"
	signing "overcrank/release"
)

// settings are settings as the environment would have them.
func settings(of map[string]string) func(string) string {
	return func(name string) string { return of[name] }
}

// TestAReleaseIsMadeBesideThePackages: with keys for tests, which a later run finds again; with the studio's; and without the secret one.
func TestAReleaseIsMadeBesideThePackages(t *testing.T) {
	t.Parallel()
	v, err := version.Parse("1.2.3-4-gabcd")
	if err != nil {
		t.Fatal(err)
	}
	dist := t.TempDir()
	var said bytes.Buffer
	made, err := keysFrom(settings(nil), dist, &said)
	if err != nil || made.signer == nil || len(made.roots) != 1 || !strings.Contains(said.String(), "Do not hand these packages out") {
		t.Fatalf("keys for tests: %+v, %v; it says %q", made.roots, err, &said)
	}
	again, err := keysFrom(settings(nil), dist, io.Discard)
	if err != nil || again.roots[0] != made.roots[0] {
		t.Errorf("the next run trusts %v, %v; this one %v", again.roots, err, made.roots)
	}
	write(t, filepath.Join(dist, releases, "1.2.2", "old"), "old")
	r := release{dist: dist, version: v, programs: t.TempDir(), keys: again}
	linux := target{"linux", "amd64"}
	write(t, r.program(linux, signing.Agent), "a program")
	if err := r.makeFolder(); err != nil {
		t.Fatal(err)
	}
	if err := r.place(linux); err != nil {
		t.Fatal(err)
	}
	folder, err := r.sign(time.Now(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := signing.Roots(filepath.Join(dist, testKeys, testRoot+".pub"))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := signing.Open(folder, roots, time.Now())
	if err != nil || opened.Version != v.String() || opened.Number != int64(v.Number()) {
		t.Fatalf("the release is %+v, %v", opened, err)
	}
	if file, err := opened.File("linux", "amd64"); err != nil || file.CheckFile(filepath.Join(folder, file.Name)) != nil {
		t.Errorf("its program is %+v, %v", file, err)
	}
	if all, _ := filepath.Glob(filepath.Join(dist, releases, "*")); len(all) != 1 {
		t.Errorf("the releases are %q", all)
	}

	keyFolder := filepath.Join(dist, testKeys)
	studio := map[string]string{
		"OVERCRANK_RELEASE_ROOTS": filepath.Join(keyFolder, testRoot+".pub"), "OVERCRANK_RELEASE_KEY": filepath.Join(keyFolder, testKey),
		"OVERCRANK_RELEASE_KEYS": keyFolder, "OVERCRANK_RELEASE_KEY_PASSWORD_FILE": filepath.Join(dist, "password"),
	}
	write(t, filepath.Join(dist, "password"), "unused\n")
	said.Reset()
	if named, err := keysFrom(settings(studio), t.TempDir(), &said); err != nil || named.signer == nil || said.Len() > 0 {
		t.Errorf("with the studio's keys: %v; it says %q", err, &said)
	}
	delete(studio, "OVERCRANK_RELEASE_KEY")
	if _, err := keysFrom(settings(studio), t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "belong together") {
		t.Errorf("a list without its key: %v", err)
	}
	delete(studio, "OVERCRANK_RELEASE_KEYS")
	if r.keys, err = keysFrom(settings(studio), t.TempDir(), io.Discard); err != nil || r.keys.signer != nil || r.keys.roots[0] != made.roots[0] {
		t.Errorf("root keys alone: %+v, %v", r.keys, err)
	}
	if _, err := r.sign(time.Now(), &said); err != nil || !strings.Contains(said.String(), "overcrank releases sign") {
		t.Errorf("root keys alone: %v; it says %q", err, &said)
	}
	delete(studio, "OVERCRANK_RELEASE_ROOTS")
	studio["OVERCRANK_RELEASE_KEY"] = filepath.Join(keyFolder, testKey)
	if _, err := keysFrom(settings(studio), t.TempDir(), io.Discard); err == nil || !strings.Contains(err.Error(), "names no root keys") {
		t.Errorf("a key without roots: %v", err)
	}
}

// TestTheFarmReadsThePackages has the farm read what make packages wrote, as it does before it hands a package out.
func TestTheFarmReadsThePackages(t *testing.T) {
	dist := os.Getenv("OVERCRANK_PACKAGES")
	if dist == "" {
		t.Skip("make test-packages makes the packages that this looks at")
	}
	for pattern, want := range map[string][2]string{
		"*.msi": {"windows", "amd64"}, "*.pkg": {"darwin", "universal"}, "overcrank-agent_*.deb": {"linux", "amd64"}, "overcrank-agent-*.rpm": {"linux", "amd64"},
	} {
		paths, err := filepath.Glob(filepath.Join(dist, pattern))
		if err != nil || len(paths) != 1 {
			t.Fatalf("the packages %s are %q, %v", pattern, paths, err)
		}
		content, err := os.ReadFile(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		got, err := downloads.ReadPackage(bytes.NewReader(content), int64(len(content)))
		if err != nil || got.System != want[0] || got.Arch != want[1] || !strings.HasPrefix(got.Version, "0.") {
			t.Errorf("%s is %+v, %v", pattern, got, err)
		}
	}
}

// TestTheReleaseOfThePackages opens what make packages wrote, with the keys that the packages trust.
func TestTheReleaseOfThePackages(t *testing.T) {
	dist := os.Getenv("OVERCRANK_PACKAGES")
	if dist == "" {
		t.Skip("make test-packages makes the release that this looks at")
	}
	made, err := filepath.Glob(filepath.Join(dist, releases, "*", signing.ManifestName))
	if err != nil || len(made) != 1 {
		t.Fatalf("the releases are %q, %v", made, err)
	}
	roots, err := signing.Roots(filepath.Join(dist, testKeys, testRoot+".pub"))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := signing.Open(filepath.Dir(made[0]), roots, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range [][2]string{{"linux", "amd64"}, {"windows", "amd64"}, {"darwin", "arm64"}} {
		file, err := opened.File(target[0], target[1])
		if err != nil {
			t.Error(err)
			continue
		}
		if err := file.CheckFile(filepath.Join(filepath.Dir(made[0]), file.Name)); err != nil {
			t.Error(err)
		}
	}
}
