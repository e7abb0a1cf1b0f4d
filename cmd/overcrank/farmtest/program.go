//go:build linux

package farmtest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"overcrank/aep/aeptest"
	"overcrank/api/apitest"
)

// program is what the tests start, built.
type program struct {
	path string
	err  error
}

var (
	buildMu sync.Mutex
	built   = map[variant]program{}
)

// Program is the path of the program, built with the race detector when the test is. Its engine can be told to take a while for a film (Busy,
// OVERCRANK_PACE_FRAME); nothing else sets it apart from what is released.
func Program(t testing.TB) string {
	t.Helper()
	return Variant(t)
}

// Plain is the program as it is released, and without the race detector: for commands, which do one thing after the other, and for what would
// take minutes with it.
func Plain(t testing.TB) string {
	t.Helper()
	return buildOnce(t, variant{})
}

// Variant is Program built with one more tag: faults or standin.
func Variant(t testing.TB, tags ...string) string {
	t.Helper()
	return buildOnce(t, variant{race: raceDetector, tags: strings.Join(append([]string{pacedTag}, tags...), ",")})
}

// Speaking is Program, as a release to come that speaks another version of the agents' protocol.
func Speaking(t testing.TB, protocol int) string {
	t.Helper()
	return buildOnce(t, variant{race: raceDetector, tags: pacedTag, protocol: protocol})
}

// pacedTag builds an engine that waits where it is told to: engine/aerender/pace_paced.go.
const pacedTag = "paced"

// variant is how the program is built.
type variant struct {
	race     bool
	tags     string // separated by commas
	protocol int    // version of the agents' protocol that it speaks; 0 for that of this release
}

// folder is where it lies: the program itself is called as people call it.
func (v variant) folder() string {
	name := "plain"
	if v.race {
		name = "race"
	}
	if v.tags != "" {
		name += "-" + strings.ReplaceAll(v.tags, ",", "-")
	}
	if v.protocol != 0 {
		name += fmt.Sprintf("-protocol-%d", v.protocol)
	}
	return name
}

func (v variant) flags() (flags []string) {
	if v.race {
		flags = append(flags, "-race")
	}
	if v.tags != "" {
		flags = append(flags, "-tags", v.tags)
	}
	return flags
}

func buildOnce(t testing.TB, v variant) string {
	t.Helper()
	buildMu.Lock()
	defer buildMu.Unlock()
	p, done := built[v]
	if !done {
		if _, err := racesFound(); err != nil {
			t.Fatal(err)
		}
		p.path, p.err = build(aeptest.Repository(t), v)
		built[v] = p
	}
	if p.err != nil {
		t.Fatal(p.err)
	}
	if v.race {
		t.Cleanup(func() { tellRaces(t) })
	}
	return p.path
}

// Under is a program that is started after some shell commands, such as the setting of a variable: tests that run beside each other share
// the environment of their process.
func Under(t testing.TB, program string, commands ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "overcrank")
	script := "#!/bin/sh\n" + strings.Join(commands, "\n") + "\nexec '" + program + "' \"$@\"\n"
	WriteProgram(t, path, []byte(script))
	return path
}

// WriteProgram writes a file that is to be run. No process is started meanwhile: it would have the file open for writing until it runs its own
// program, and a file that is open for writing is not run.
func WriteProgram(t testing.TB, path string, content []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, content, 0o700); err != nil {
		t.Fatal(err)
	}
}

// cache is where the programs lie. It is looked up before any test can change the environment.
var cache, errCache = os.UserCacheDir()

// racesFound is where programs that this process starts tell of races: files whose names begin so.
var racesFound = sync.OnceValues(func() (prefix string, err error) {
	prefix = filepath.Join(cache, "overcrank-tests", fmt.Sprintf("races-%d", os.Getpid()))
	return prefix, os.Setenv("GORACE", "log_path="+prefix)
})

// tellRaces fails a test at whose end a program has found a race. Tests run beside each other, so it may be the race of another one.
func tellRaces(t testing.TB) {
	prefix, err := racesFound()
	if err != nil {
		t.Error(err)
	}
	reports, _ := filepath.Glob(prefix + ".*")
	for _, path := range reports {
		text, err := os.ReadFile(path)
		t.Errorf("a program found a race, %v:\n%s", err, text)
		_ = os.Remove(path)
	}
}

// build brings the program in the user's cache up to date. Test packages run beside each other, in processes of their own: the first one
// builds while the others wait for its lock, and then go finds nothing left to do.
func build(repository string, v variant) (path string, err error) {
	if errCache != nil {
		return "", errCache
	}
	dir := filepath.Join(cache, "overcrank-tests", fmt.Sprintf("%x", sha256.Sum256([]byte(repository)))[:16], v.folder())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path = filepath.Join(dir, "overcrank")
	unlock, err := lock(path + ".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	stamps := "-s -w"
	if v.protocol != 0 {
		stamps += fmt.Sprintf(" -X main.protocol=%d", v.protocol)
	}
	if _, err := v.goCommand(repository, append([]string{"build", "-ldflags=" + stamps, "-o", path}, append(v.flags(), mainPackage)...)...); err != nil {
		return "", err
	}
	return path, v.look(repository)
}

const mainPackage = "overcrank/cmd/overcrank"

// look asks for every source file of the program, so that go does not take the result of an earlier run for that of a program that has
// changed since: it remembers which files of the module a test looked at.
func (v variant) look(repository string) error {
	const files = `{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	out, err := v.goCommand(repository, append(append([]string{"list", "-deps", "-f", files}, v.flags()...), mainPackage)...)
	if err != nil {
		return err
	}
	for _, path := range append(strings.Fields(out), filepath.Join(repository, "go.mod")) {
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	return nil
}

func (v variant) goCommand(dir string, args ...string) (stdout string, err error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if !v.race { // as `make build` does, so that what that has compiled is not compiled again
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return out.String(), nil
}

// lock waits until no other process has the lock, and takes it.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	return func() { _ = f.Close() }, nil
}

var loadContract = sync.OnceValues(apitest.Load)

// Contract holds what tests send and get against the interface's documents.
func Contract(t testing.TB) *apitest.Contract {
	t.Helper()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
