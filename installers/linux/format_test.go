package linux_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/installers/linux"
	"overcrank/installers/version"
)

// made are packages of programs that are a few bytes long.
func made(t *testing.T) (dist string, paths []string) {
	t.Helper()
	programs, dist := t.TempDir(), t.TempDir()
	for _, arch := range []string{"amd64", "arm64"} {
		for _, program := range []string{"overcrank", "overcrank-agent", "overcrank-launcher"} {
			write(t, filepath.Join(programs, "linux-"+arch, program), program+" for "+arch)
		}
	}
	licences := filepath.Join(t.TempDir(), "licences.txt")
	write(t, licences, "as is")
	v, err := version.Parse("1.2.3-4-gabcd")
	if err != nil {
		t.Fatal(err)
	}
	v.Time = time.Unix(1_700_000_000, 0).UTC()
	paths, err = linux.Build(t.Context(), linux.Input{Dist: dist, Version: v, Programs: programs, Licences: licences})
	if err != nil {
		t.Fatal(err)
	}
	return dist, paths
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheSameInputMakesTheSamePackages(t *testing.T) {
	t.Parallel()
	_, first := made(t)
	_, second := made(t)
	if len(first) != 8 || len(second) != len(first) {
		t.Fatalf("there are %d and %d packages, want 8: two programs, two formats, two processors", len(first), len(second))
	}
	for i := range first {
		a, errA := os.ReadFile(first[i])
		b, errB := os.ReadFile(second[i])
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s comes out differently: %v, %v", filepath.Base(first[i]), errA, errB)
		}
	}
}

func TestDebsAreReadByDpkg(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("this machine has no dpkg-deb to read packages with: make test-packages installs it")
	}
	dist, _ := made(t)
	path := filepath.Join(dist, "overcrank-agent_1.2.3+4.gabcd_arm64.deb")
	fields := output(t, "dpkg-deb", "-f", path, "Package", "Version", "Architecture", "Depends")
	for _, want := range []string{"Package: overcrank-agent", "Version: 1.2.3+4.gabcd", "Architecture: arm64", "Depends: passwd, ffmpeg"} {
		if !strings.Contains(fields, want) {
			t.Errorf("the fields are\n%s\nwithout %q", fields, want)
		}
	}
	files := output(t, "dpkg-deb", "-c", path)
	for _, want := range []string{
		"-rwxr-xr-x root/root", "./usr/lib/overcrank-agent/overcrank\n", "./usr/lib/overcrank-agent/versions/1.2.3-4-gabcd/overcrank-agent\n",
		"./usr/bin/overcrank-agent -> /usr/lib/overcrank-agent/overcrank\n", "./usr/lib/systemd/system/overcrank-agent.service\n", "2023-11-14 22:13",
		"./usr/share/doc/overcrank-agent/licences.txt\n", "-rw------- root/root",
	} {
		if !strings.Contains(files, want) {
			t.Errorf("the files are\n%s\nwithout %q", files, want)
		}
	}
	control := t.TempDir()
	output(t, "dpkg-deb", "-e", path, control)
	if conffiles, err := os.ReadFile(filepath.Join(control, "conffiles")); err != nil || string(conffiles) != "/etc/overcrank/agent.env\n/etc/xdg/autostart/overcrank-tray.desktop\n" {
		t.Errorf("dpkg keeps what people changed in %q, %v", conffiles, err)
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		output(t, "sh", "-n", filepath.Join(control, script))
		text, err := os.ReadFile(filepath.Join(control, script))
		if err != nil || strings.Contains(string(text), "<no value>") || strings.Contains(string(text), "{{") {
			t.Errorf("%s is not filled in: %v", script, err)
		}
	}
}

func TestRPMsAreReadByRPM(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"rpm", "rpm2cpio", "cpio"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("this machine has no %s to read packages with: make test-packages installs it", program)
		}
	}
	dist, _ := made(t)
	path := filepath.Join(dist, "overcrank-1.2.3+4.gabcd-1.x86_64.rpm")
	if fields := output(t, "rpm", "-qp", "--qf", "%{name} %{version} %{release} %{arch} %{license} %{buildhost}", path); fields != "overcrank 1.2.3+4.gabcd 1 x86_64 Apache-2.0 localhost" {
		t.Errorf("the fields are %s", fields)
	}
	if kept := output(t, "rpm", "-qpc", path); kept != "/etc/overcrank/coordinator.env\n/etc/overcrank/coordinator.yaml\n" {
		t.Errorf("rpm keeps what people changed in %s", kept)
	}
	for _, want := range []string{"postinstall", "preuninstall", "postuninstall"} {
		if scripts := output(t, "rpm", "-qp", "--scripts", path); !strings.Contains(scripts, want) {
			t.Errorf("the scripts are %s, without %s", scripts, want)
		}
	}
	output(t, "rpm", "-K", "--nosignature", path) // its digests
	root := t.TempDir()
	output(t, "sh", "-c", `rpm2cpio "$0" | (cd "$1" && cpio -idm --quiet --no-absolute-filenames)`, path, root)
	if program, err := os.ReadFile(filepath.Join(root, "usr/bin/overcrank")); err != nil || string(program) != "overcrank for amd64" {
		t.Errorf("the program is %q, %v", program, err)
	}
}

// TestCoordinatorsFindThePackagesThatTheyHandOut: the package brings the others where coordinators look for them, as they are.
func TestCoordinatorsFindThePackagesThatTheyHandOut(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"dpkg-deb", "rpm", "rpm2cpio", "cpio"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("this machine has no %s to read packages with: make test-packages installs it", program)
		}
	}
	given, in := t.TempDir(), linux.Input{Dist: t.TempDir()}
	var err error
	if in.Version, err = version.Parse("1.2.3"); err != nil {
		t.Fatal(err)
	}
	if _, err := linux.HandOut(t.Context(), in, nil); err == nil {
		t.Error("a package that brings nothing is made")
	}
	want := map[string]string{"overcrank-agent-1.2.3-x64.msi": "for Windows", "overcrank-agent-1.2.3.pkg": "for macOS"}
	var packages []string
	for name, text := range want {
		packages = append(packages, filepath.Join(given, name))
		write(t, filepath.Join(given, name), text)
	}
	made, err := linux.HandOut(t.Context(), in, packages)
	if err != nil || len(made) != 2 {
		t.Fatalf("made are %q, %v", made, err)
	}
	deb, rpm := t.TempDir(), t.TempDir()
	output(t, "dpkg-deb", "-x", made[0], deb)
	output(t, "sh", "-c", `rpm2cpio "$0" | (cd "$1" && cpio -idm --quiet --no-absolute-filenames)`, made[1], rpm)
	for _, root := range []string{deb, rpm} {
		for name, text := range want {
			if got, err := os.ReadFile(filepath.Join(root, "usr/share/overcrank/packages", name)); err != nil || string(got) != text {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
	}
	if fields := output(t, "dpkg-deb", "-f", made[0], "Package", "Architecture", "Recommends"); !strings.Contains(fields, "overcrank-packages") || !strings.Contains(fields, "all") {
		t.Errorf("the fields are\n%s", fields)
	}
	if fields := output(t, "rpm", "-qp", "--qf", "%{name} %{arch}", made[1]); fields != "overcrank-packages noarch" {
		t.Errorf("the fields are %s", fields)
	}
}

func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "TZ=UTC", "LANG=C.UTF-8")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", program, args, err, out)
	}
	return string(out)
}

// TestUnitsAreSafe holds the services to what systemd itself says of how much they could do.
func TestUnitsAreSafe(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("this machine has no systemd-analyze: make test-packages installs it")
	}
	units, err := filepath.Glob(filepath.Join("files", "*.service"))
	units = append(units, filepath.Join("..", "..", "launcher", "units", "overcrank-agent.service"))
	if err != nil || len(units) != 2 {
		t.Fatalf("the units are %q, %v", units, err)
	}
	for _, unit := range units {
		output(t, "systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=30", unit)
	}
}

// packagesToTest is the folder of packages that make test-packages has made. Without it the test is skipped.
func packagesToTest(t *testing.T) string {
	t.Helper()
	dist := os.Getenv("OVERCRANK_PACKAGES")
	if dist == "" {
		t.Skip("make test-packages makes the packages that this looks at")
	}
	return dist
}
