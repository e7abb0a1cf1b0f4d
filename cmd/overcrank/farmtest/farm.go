//go:build linux

package farmtest

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"overcrank/cmd/overcrank/client"
)

// Patience is how long tests wait for what should happen: many times what it takes, since a busy machine may stall any process.
const Patience = 5 * time.Minute

// Farm is an `overcrank up` under test.
type Farm struct {
	*client.Client
	T    testing.TB
	Dir  string
	Cmd  *exec.Cmd
	Said *Buffer
	Done chan struct{}
}

// Buffer may be written by a process while a test reads it.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *Buffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *Buffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Up starts a farm in dir and waits until it is ready. It is stopped when the test ends.
func Up(t testing.TB, dir string, flags ...string) *Farm {
	t.Helper()
	f := Launch(t, dir, flags...)
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	return f
}

// Launch starts a farm in dir and waits until it says where it is.
func Launch(t testing.TB, dir string, flags ...string) *Farm {
	t.Helper()
	return LaunchAs(t, "up", dir, flags...)
}

// LaunchAs is launch by another command: coordinator, for a farm without an agent.
func LaunchAs(t testing.TB, command, dir string, flags ...string) *Farm {
	t.Helper()
	return LaunchProgram(t, Program(t), command, dir, flags...)
}

// LaunchProgram is launchAs by another build of the program.
func LaunchProgram(t testing.TB, program, command, dir string, flags ...string) *Farm {
	t.Helper()
	f, address := StartProgram(t, program, command, dir, flags...)
	f.Client = &client.Client{Server: address, Token: f.AdminToken(), HTTP: &http.Client{Transport: Contract(t).Transport(t, nil)}}
	return f
}

// StartProgram starts a farm in dir, or one of its coordinators, and waits until it says where it is.
func StartProgram(t testing.TB, program, command, dir string, flags ...string) (f *Farm, address string) {
	t.Helper()
	f = &Farm{T: t, Dir: dir, Said: &Buffer{}, Done: make(chan struct{})}
	args := append([]string{command, "--data-dir", dir, "--listen", "127.0.0.1:0"}, flags...)
	f.Cmd = exec.Command(program, args...)
	f.Cmd.Stderr = f.Said
	stdout, err := f.Cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at := make(chan string, 1)
	go func() {
		defer close(f.Done)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if _, a, ok := strings.Cut(lines.Text(), " is at "); ok {
				a, _, _ = strings.Cut(a, ",") // one of several says behind it what it waits for
				at <- a
			}
		}
		_ = f.Cmd.Wait()
	}()
	t.Cleanup(func() {
		f.Stop()
		if t.Failed() {
			t.Logf("the farm in %s said:\n%s", dir, f.Said)
		}
	})
	select {
	case address = <-at:
	case <-f.Done:
		t.Fatalf("the farm ended at once:\n%s", f.Said)
	case <-time.After(Patience):
		t.Fatalf("the farm said no address:\n%s", f.Said)
	}
	return f, address
}

// AdminToken is what the farm keeps for its administrator.
func (f *Farm) AdminToken() string {
	raw, err := os.ReadFile(filepath.Join(f.Dir, "admin.token"))
	if err != nil {
		f.T.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

// Stop ends the farm in order and waits for it.
func (f *Farm) Stop() {
	_ = f.Cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-f.Done:
	case <-time.After(Patience):
		f.T.Errorf("the farm did not stop within %v:\n%s", Patience, f.Said)
		f.Kill()
	}
}

// Kill ends the farm without a word, and everything that it started.
func (f *Farm) Kill() {
	_ = f.Cmd.Process.Kill()
	<-f.Done
	for _, pid := range Processes(f.Dir) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// Await waits until what it waits for is true.
func (f *Farm) Await(what string, ok func() bool) {
	f.T.Helper()
	f.AwaitWithin(Patience, what, ok)
}

// AwaitWithin is Await with another patience, for what pauses for long by itself.
func (f *Farm) AwaitWithin(patience time.Duration, what string, ok func() bool) {
	f.T.Helper()
	if !comesTrue(patience, ok) {
		f.T.Fatalf("waited in vain for %s; the farm said:\n%s", what, f.Said)
	}
}

// Await is Farm.Await without a farm.
func Await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	if !comesTrue(Patience, ok) {
		t.Fatalf("waited in vain for %s", what)
	}
}

func comesTrue(patience time.Duration, ok func() bool) bool {
	for end := time.Now().Add(patience); !ok(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
