package macos_test

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"howett.net/plist"

	"overcrank/installers/macos"
	"overcrank/installers/macos/bom"
	"overcrank/installers/macos/codesign"
	"overcrank/installers/macos/cpio"
	"overcrank/installers/macos/xar"
	"overcrank/installers/version"
)

// largest is what the package may weigh, in bytes.
const largest = 25_000_000

const home = "Library/Application Support/Overcrank"

// programs are small ones in the place of launcher and agent, compiled for both processors, once for all tests: what the package does with
// programs does not depend on what they do.
var programs = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "macos-test-*")
	if err != nil {
		return "", err
	}
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte("package main\nfunc main() { println(\"hello\") }\n"), 0o600); err != nil {
		return "", err
	}
	for _, arch := range []string{"amd64", "arm64"} {
		folder := filepath.Join(dir, "darwin-"+arch)
		build := exec.Command("go", "build", "-o", filepath.Join(folder, "overcrank-agent"), source)
		build.Env = append(os.Environ(), "GOOS=darwin", "GOARCH="+arch, "CGO_ENABLED=0")
		if said, err := build.CombinedOutput(); err != nil {
			return "", errors.New(string(said))
		}
		if err := os.Link(filepath.Join(folder, "overcrank-agent"), filepath.Join(folder, "overcrank-launcher")); err != nil {
			return "", err
		}
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := programs(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

// input makes a package of a version, in a folder of its own.
func input(t testing.TB, named string) macos.Input {
	t.Helper()
	if _, err := exec.LookPath("libdeflate-gzip"); err != nil {
		t.Skip(macos.ErrNoCompressor)
	}
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	v, err := version.Parse(named)
	if err != nil {
		t.Fatal(err)
	}
	v.Time = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	licences := filepath.Join(t.TempDir(), "LICENCES")
	if err := os.WriteFile(licences, []byte("everybody's licences\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return macos.Input{Dist: t.TempDir(), Version: v, Programs: dir, Licences: licences}
}

// built makes the package and returns where it and its profile are.
func built(t testing.TB, in macos.Input) (pkg, profile string) {
	t.Helper()
	made, err := macos.Build(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(made) != 2 || filepath.Ext(made[0]) != ".pkg" || filepath.Ext(made[1]) != ".mobileconfig" {
		t.Fatalf("made %q", made)
	}
	return made[0], made[1]
}

// first is the package that most tests look at, made once, with its profile.
var first struct {
	once         sync.Once
	pkg, profile []byte
}

// firstPackage is version 0.1.0, signed by nobody, in a folder of the test's own and under a name that it may change.
func firstPackage(t *testing.T) (pkg, profile string) {
	t.Helper()
	first.once.Do(func() {
		pkg, profile := built(t, input(t, "0.1.0"))
		first.pkg, first.profile = read(t, pkg), read(t, profile)
	})
	dir := t.TempDir()
	pkg, profile = filepath.Join(dir, "overcrank-agent-0.1.0.pkg"), filepath.Join(dir, "overcrank-agent-0.1.0.mobileconfig")
	if err := errors.Join(os.WriteFile(pkg, first.pkg, 0o600), os.WriteFile(profile, first.profile, 0o600)); err != nil {
		t.Fatal(err)
	}
	return pkg, profile
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// packed is a file in the payload or among the scripts.
type packed struct {
	cpio.Header
	data []byte
}

func unpack(t testing.TB, archive []byte) map[string]packed {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]packed{}
	for r := cpio.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(h.Name, "./")] = packed{h, data}
	}
}

func component(t testing.TB, pkg []byte, name string) []byte {
	t.Helper()
	a, err := xar.Read(pkg)
	if err != nil {
		t.Fatal(err)
	}
	f := xar.Find(a.Files, "overcrank-agent.pkg/"+name)
	if f == nil {
		t.Fatalf("the package has no %s", name)
	}
	return f.Data
}

func TestEqualInputGivesEqualBytes(t *testing.T) {
	t.Parallel()
	pkg, profile := firstPackage(t)
	again, profileAgain := built(t, input(t, "0.1.0"))
	if !bytes.Equal(read(t, pkg), read(t, again)) || !bytes.Equal(read(t, profile), read(t, profileAgain)) {
		t.Error("the same input makes other bytes")
	}
	if filepath.Base(pkg) != filepath.Base(again) || filepath.Base(profile) != filepath.Base(profileAgain) {
		t.Errorf("they are called %s and %s", filepath.Base(again), filepath.Base(profileAgain))
	}
}

func TestThePackageIsWhole(t *testing.T) {
	t.Parallel()
	pkg, _ := firstPackage(t)
	whole(t, pkg)
	files := unpack(t, component(t, read(t, pkg), "Payload"))
	if string(files[home+"/licences.txt"].data) != "everybody's licences\n" {
		t.Error("the licences are not in it")
	}
}

// TestTheRealPackageIsWhole looks at the one that make packages has made of the real programs.
func TestTheRealPackageIsWhole(t *testing.T) {
	t.Parallel()
	dist := os.Getenv("OVERCRANK_PACKAGES")
	if dist == "" {
		t.Skip("OVERCRANK_PACKAGES does not say where packages are: make test-packages")
	}
	found, err := filepath.Glob(filepath.Join(dist, "overcrank-agent-*.pkg"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s has %d packages for macOS, %v", dist, len(found), err)
	}
	whole(t, found[0])
	size := len(read(t, found[0]))
	t.Logf("%s: %.1f MB", filepath.Base(found[0]), float64(size)/(1<<20))
	if size > largest {
		t.Errorf("the package has %d bytes; %d are allowed", size, largest)
	}
}

// whole checks all of a package: that its parts agree, that others read it, that its programs are signed.
func whole(t *testing.T, pkg string) {
	t.Helper()
	data := read(t, pkg)
	files := unpack(t, component(t, data, "Payload"))
	agreesWithBill(t, files, component(t, data, "Bom"))
	forInstaller(t, data, files)
	signedPrograms(t, files)
	for name, f := range files {
		if f.UID != 0 || f.Mode&0o022 != 0 || f.Mode&cpio.TypeMask == cpio.Regular && f.GID != 0 {
			t.Errorf("%s: mode %o, owner %d:%d: somebody else than root may change it", name, f.Mode, f.UID, f.GID)
		}
		if strings.HasSuffix(name, ".plist") {
			var job struct {
				Label            string
				ProgramArguments []string
			}
			if _, err := plist.Unmarshal(f.data, &job); err != nil || job.Label+".plist" != filepath.Base(name) ||
				files[strings.TrimPrefix(job.ProgramArguments[0], "/")].Mode != cpio.Regular|0o755 {
				t.Errorf("%s: %+v, %v", name, job, err)
			}
		}
	}
	othersRead(t, pkg)
}

// agreesWithBill compares the payload with the bill of materials, path by path.
func agreesWithBill(t *testing.T, files map[string]packed, bill []byte) {
	t.Helper()
	entries, err := bom.Read(bill)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(files) {
		t.Errorf("%d paths in the bill, %d in the payload", len(entries), len(files))
	}
	for _, e := range entries {
		f, there := files[e.Path]
		if !there || uint32(e.Mode) != f.Mode || e.UID != f.UID || e.GID != f.GID || int64(e.Size) != f.Size || int64(e.ModTime) != f.ModTime {
			t.Errorf("%s: %+v in the bill, %+v in the payload", e.Path, e, f.Header)
		}
		if sum, _ := bom.Checksum(bytes.NewReader(f.data)); e.Kind == bom.File && sum != e.Checksum {
			t.Errorf("%s: another checksum in the bill", e.Path)
		}
	}
}

// forInstaller checks what Installer reads before it does anything.
func forInstaller(t *testing.T, data []byte, files map[string]packed) {
	t.Helper()
	var info struct {
		Identifier string `xml:"identifier,attr"`
		Version    string `xml:"version,attr"`
		Payload    struct {
			Files     int   `xml:"numberOfFiles,attr"`
			Kilobytes int64 `xml:"installKBytes,attr"`
		} `xml:"payload"`
		Scripts struct {
			Before struct {
				File string `xml:"file,attr"`
			} `xml:"preinstall"`
			After struct {
				File string `xml:"file,attr"`
			} `xml:"postinstall"`
		} `xml:"scripts"`
	}
	if err := xml.Unmarshal(component(t, data, "PackageInfo"), &info); err != nil {
		t.Fatal(err)
	}
	if info.Identifier != "studio.overcrank.agent" || strings.Count(info.Version, ".") != 2 || info.Payload.Files != len(files) || info.Payload.Kilobytes < 1000 {
		t.Errorf("%+v", info)
	}
	scripts := unpack(t, component(t, data, "Scripts"))
	for _, name := range []string{info.Scripts.Before.File, info.Scripts.After.File} {
		s := scripts[strings.TrimPrefix(name, "./")]
		if s.Mode != cpio.Regular|0o755 || !bytes.HasPrefix(s.data, []byte("#!/bin/sh\n")) || bytes.Contains(s.data, []byte("@VERSION@")) {
			t.Errorf("the script %q: %+v", name, s.Header)
		}
	}
	archive, err := xar.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	var distribution struct {
		Options struct {
			Processors string `xml:"hostArchitectures,attr"`
			Root       bool   `xml:"rootVolumeOnly,attr"`
		} `xml:"options"`
		Choices  []choice `xml:"choice"`
		Packages []struct {
			Version string `xml:"version,attr"`
			File    string `xml:",chardata"`
		} `xml:"pkg-ref"`
	}
	if err := xml.Unmarshal(xar.Find(archive.Files, "Distribution").Data, &distribution); err != nil {
		t.Fatal(err)
	}
	d := distribution
	if d.Options.Processors != "x86_64,arm64" || !d.Options.Root || len(d.Packages) != 2 || d.Packages[0].File != "#overcrank-agent.pkg" || d.Packages[0].Version != info.Version ||
		d.Packages[1].File != "#overcrank-panel.pkg" {
		t.Errorf("%+v", d)
	}
	if got := fmt.Sprint(d.Choices); got != "[{default  {}} {studio.overcrank.agent  {studio.overcrank.agent}} {studio.overcrank.panel false {studio.overcrank.panel}}]" {
		t.Errorf("the choices are %s", got)
	}
	holdsThePanel(t, archive)
}

// choice is one that people have in Installer; -applyChoiceChangesXML names it by its id.
type choice struct {
	ID       string `xml:"id,attr"`
	Selected string `xml:"start_selected,attr"` // "" is true
	Package  struct {
		ID string `xml:"id,attr"`
	} `xml:"pkg-ref"`
}

// holdsThePanel checks the part of the package for those who choose the panel.
func holdsThePanel(t *testing.T, archive *xar.Archive) {
	t.Helper()
	part := func(name string) []byte {
		f := xar.Find(archive.Files, "overcrank-panel.pkg/"+name)
		if f == nil {
			t.Fatalf("the panel's part has no %s", name)
		}
		return f.Data
	}
	payload := unpack(t, part("Payload"))
	agreesWithBill(t, payload, part("Bom"))
	if text := payload[home+"/panel/Overcrank.jsx"].data; !bytes.HasPrefix(text, []byte("// The Overcrank panel for After Effects")) {
		t.Errorf("the panel has %d bytes", len(text))
	}
	info := string(part("PackageInfo"))
	if !strings.Contains(info, `identifier="studio.overcrank.panel"`) || !strings.Contains(info, "postinstall") || strings.Contains(info, "preinstall") {
		t.Errorf("the panel's part says %s", info)
	}
	if s := unpack(t, part("Scripts"))["postinstall"]; s.Mode != cpio.Regular|0o755 || !bytes.Contains(s.data, []byte("agent panel install")) {
		t.Errorf("its script is %+v", s.Header)
	}
}

// signedPrograms checks every page of the programs of the payload.
func signedPrograms(t *testing.T, files map[string]packed) {
	t.Helper()
	found := map[string]int{}
	for name, f := range files {
		if !strings.HasPrefix(name, home+"/bin/") || f.Mode&cpio.TypeMask != cpio.Regular {
			continue
		}
		all, err := codesign.Verify(f.data, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, code := range all {
			found[code.Identifier+" "+code.CPU.String()]++
		}
	}
	want := map[string]int{}
	for _, id := range []string{"studio.overcrank.launcher", "studio.overcrank.agent"} {
		want[id+" CpuAmd64"], want[id+" CpuArm64"] = 1, 1
	}
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("signed: %v", found)
	}
}

// othersRead reads a package with programs that are not ours.
func othersRead(t *testing.T, pkg string) {
	t.Helper()
	for _, command := range [][]string{{"7z", "t", pkg}, {"7z", "l", pkg}, {"bsdtar", "-tf", pkg}, {"xar", "-tf", pkg}} {
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Logf("not read with %s, which is not installed: scripts/require packages", command[0])
			continue
		}
		out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		if err != nil || command[1] != "t" && !strings.Contains(string(out), "overcrank-agent.pkg/Payload") {
			t.Errorf("%s: %v\n%s", strings.Join(command, " "), err, out)
		}
	}
	if _, err := exec.LookPath("cpio"); err != nil {
		t.Log("the payload is not read with cpio, which is not installed: scripts/require packages")
		return
	}
	z, err := gzip.NewReader(bytes.NewReader(component(t, read(t, pkg), "Payload")))
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("cpio", "-itv", "--quiet")
	list.Stdin = z
	out, err := list.Output()
	if err != nil {
		t.Fatalf("cpio: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "-rwxr-xr-x   1 root     root") && strings.HasSuffix(l, "./"+home+"/bin/overcrank")
	}) {
		t.Errorf("cpio says of the payload:\n%s", out)
	}
	for _, name := range []string{"lsbom"} {
		if _, err := exec.LookPath(name); err != nil {
			continue // Debian does not have it
		}
		bill := filepath.Join(t.TempDir(), "Bom")
		if err := os.WriteFile(bill, component(t, read(t, pkg), "Bom"), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(name, "-s", bill).Output()
		if err != nil || len(strings.Split(strings.TrimSpace(string(out)), "\n")) != len(lines) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
