// Package signedintest has somebody who is signed in at a machine, for tests: a runner in a process of its own, under an account that is not the
// test's. It needs root.
package signedintest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overcrank/agent/presence"
	"overcrank/agent/runner"
	"overcrank/durable/programtest"
)

// Version is that of the runners here.
const Version = "test"

// UID is an account that no package of a system uses.
const UID = 54321

const (
	envFolder  = "SIGNEDIN_DATA_FOLDER" // of the agent
	envEngines = "SIGNEDIN_ENGINES"
	envOutcome = "SIGNEDIN_OUTCOME"
	envCleared = "SIGNEDIN_CLEARED" // file that says since when the caches were cleared
)

// ServeIfAsked is a runner when this process was started as one, and does not return then. A TestMain calls it.
func ServeIfAsked() {
	dir := os.Getenv(envFolder)
	if dir == "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	session := runner.Session{
		Version: Version, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Engines: func(context.Context) []string { return filepath.SplitList(os.Getenv(envEngines)) },
		Script: func(engine, script string) []string {
			return []string{engine, "afterfx", script, os.Getenv(envOutcome)}
		},
		Clear: func(since time.Time) error {
			return os.WriteFile(os.Getenv(envCleared), []byte(since.Format(time.RFC3339)), 0o600)
		},
		Desk: idleDesk{},
	}
	// What it starts must not be a runner as well.
	if err := os.Unsetenv(envFolder); err != nil {
		os.Exit(2)
	}
	err := runner.Run(ctx, dir, session)
	if errors.Is(err, runner.ErrAnother) {
		os.Exit(3)
	}
	os.Exit(0)
}

// idleDesk has seen no input for an hour.
type idleDesk struct{}

func (idleDesk) Look(context.Context, presence.Want) (presence.Sight, error) {
	return presence.Sight{Session: presence.SessionActive, Input: time.Hour, InputKnown: true}, nil
}

func (idleDesk) Close() error { return nil }

// Folder is one that every account can enter.
func Folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "signedin-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Program is a copy of the test's own program, in a folder that every account can enter, under this name.
func Program(t *testing.T, name string) string {
	t.Helper()
	in, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	path := filepath.Join(Folder(t), name)
	if err := programtest.Copy(path, in); err != nil {
		t.Fatal(err)
	}
	return path
}

// Runner is a runner's process.
type Runner struct {
	cmd *exec.Cmd
	log *lockedBuilder
	end sync.Once
}

type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// Log is what the runner has logged.
func (r *Runner) Log() string {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.log.b.String()
}

// Logged waits until the runner has logged a text: what it writes comes by a pipe, which is read when there is time.
func (r *Runner) Logged(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !strings.Contains(r.Log(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the runner does not say %q", text)
		}
	}
}

// Kill ends the runner as a crash does.
func (r *Runner) Kill() {
	r.end.Do(func() {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	})
}

// Start starts a runner of an account for the agent on a data folder. It knows these aerenders; scripts have this outcome in them. program
// is a test's own program (Program).
func Start(t *testing.T, program, dataDir string, uid int, outcome string, engines ...string) *Runner {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), envFolder+"="+dataDir, envOutcome+"="+outcome, envEngines+"="+strings.Join(engines, string(filepath.ListSeparator)),
		envCleared+"="+Cleared(program, uid))
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}, Pdeathsig: 0}
	r := &Runner{cmd: cmd, log: &lockedBuilder{}}
	cmd.Stderr = r.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the runner of account %d said:\n%s", uid, r.Log())
		}
	})
	return r
}

// Cleared is the path of the file in which a runner says since when it was asked to clear the caches. Its folder is open to all accounts.
func Cleared(program string, uid int) string {
	dir := filepath.Join(filepath.Dir(program), "cleared")
	_ = os.Mkdir(dir, 0o777)
	_ = os.Chmod(dir, 0o777)
	return filepath.Join(dir, strconv.Itoa(uid))
}
