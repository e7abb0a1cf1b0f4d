//go:build linux

package winetest

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// compile builds a program of the farm with a version. Those for Windows delete files as they do on older ones: wine 8 lacks the newer way and does not say so
// with the error that Go understands. Nothing else differs from the programs of a release.
func compile(t *testing.T, system, name, version, to string) {
	t.Helper()
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version=" + version, "-o", to}
	if system == "windows" {
		args = append(args, "-overlay", olderDeletion(t))
	}
	cmd := exec.CommandContext(t.Context(), "go", append(args, "./cmd/"+name)...)
	cmd.Dir = filepath.Join("..", "..", "..")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compiling %s: %v\n%s", name, err, out)
	}
}

// olderDeletion writes an overlay for the compiler that sets a variable of Go's own library, which is there to test that way of deleting.
func olderDeletion(t *testing.T) string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "syscall", "windows", "at_windows.go")
	text, err := os.ReadFile(library)
	if err != nil {
		t.Fatal(err)
	}
	const usual, older = "var TestDeleteatFallback bool", "var TestDeleteatFallback = true"
	if strings.Count(string(text), usual) != 1 {
		t.Fatalf("%s has no %q any more: look how files are deleted there, and whether wine can", library, usual)
	}
	changed := filepath.Join(t.TempDir(), "at_windows.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), usual, older, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {library: changed}})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(filepath.Dir(changed), "overlay.json")
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}

// farm is a coordinator on this machine, spoken with by its own commands.
type farm struct {
	program string
	dir     string
	address string
}

// awaited bounds each wait for something that comes within seconds on an idle machine.
const awaited = 10 * time.Minute

// startFarm starts a coordinator that speaks TLS alone.
func startFarm(t *testing.T) *farm {
	t.Helper()
	f := &farm{program: filepath.Join(t.TempDir(), "overcrank"), dir: filepath.Join(t.TempDir(), "farm")}
	compile(t, "linux", "overcrank", "test", f.program)
	log, err := os.Create(filepath.Join(t.TempDir(), "farm.log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(f.program, "coordinator", "--config", os.DevNull, "--data-dir", f.dir, "--listen", "127.0.0.1:0", "--require-tls", "--min-free", "1", "--lease", "10s")
	cmd.Stderr = log
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		_ = log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the coordinator's log:\n%s", text)
		}
	})
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), " is at "); ok {
			f.address = strings.TrimSpace(address)
		}
		if strings.Contains(lines.Text(), "admin.token") {
			break
		}
	}
	if f.address == "" {
		t.Fatal("the coordinator did not say where it is")
	}
	await(t, "the coordinator answers", func() bool {
		_, err := f.try("agents", "list")
		return err == nil
	})
	return f
}

func (f *farm) try(args ...string) (string, error) {
	args = append(args, "--server", f.address, "--ca-file", f.authority(), "--token-file", filepath.Join(f.dir, "admin.token"))
	out, err := exec.Command(f.program, args...).Output()
	return strings.TrimSpace(string(out)), err
}

// ask runs a command of the farm and returns what it prints.
func (f *farm) ask(t *testing.T, args ...string) string {
	t.Helper()
	out, err := f.try(args...)
	if err != nil {
		t.Fatalf("overcrank %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return out
}

// authority is the file with the certificate that vouches for the farm.
func (f *farm) authority() string { return filepath.Join(f.dir, "ca.crt") }

// addCard adds the title card of the demo as a template.
func (f *farm) addCard(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), f.program, "demo", "--quiet", "--dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("making the title card: %v\n%s", err, out)
	}
	f.ask(t, "templates", "add", filepath.Join(dir, "Title Card.zip"), "--wait")
}

// submit submits frames of the title card and returns the job's id.
func (f *farm) submit(t *testing.T, frames string) string {
	t.Helper()
	return f.ask(t, "submit", "--template", "Title Card", "--composition", "Title Card", "--frames", frames)
}

// job is what the tests look at of a job.
type job struct {
	Status   string  `json:"status"`
	Progress float64 `json:"progress"`
	Stats    struct {
		StartedAt time.Time `json:"startedAt"`
		Error     string    `json:"error"`
	} `json:"stats"`
}

func (f *farm) job(t *testing.T, id string) (j job) {
	t.Helper()
	if err := json.Unmarshal([]byte(f.ask(t, "jobs", "show", id, "--json")), &j); err != nil {
		t.Fatal(err)
	}
	return j
}

// machine is what the tests look at of a machine.
type machine struct {
	ID      string   `json:"id"`
	Online  bool     `json:"online"`
	Version string   `json:"version"`
	Tags    []string `json:"tags"`
}

func (f *farm) machines(t *testing.T) (all []machine) {
	t.Helper()
	if err := json.Unmarshal([]byte(f.ask(t, "agents", "list", "--json")), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	const often = 100 * time.Millisecond
	for end := time.Now().Add(awaited); !done(); time.Sleep(often) {
		if time.Now().After(end) {
			t.Fatalf("waited %v: %s", awaited, what)
		}
	}
}
