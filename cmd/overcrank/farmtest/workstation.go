//go:build linux

package farmtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// Workstation is an `overcrank agent` under test.
type Workstation struct {
	Said *Buffer
	Done chan struct{}
	Code int
}

// StartAgent starts an agent of a folder; it is stopped when the test ends.
func StartAgent(t testing.TB, f *Farm, dir, joinToken string, flags ...string) *Workstation {
	t.Helper()
	return StartAgentOf(t, Program(t), f, dir, joinToken, flags...)
}

// StartAgentOf is startAgent by another build of the program.
func StartAgentOf(t testing.TB, program string, f *Farm, dir, joinToken string, flags ...string) *Workstation {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &Workstation{Said: &Buffer{}, Done: make(chan struct{})}
	usual := []string{"agent", "--data-dir", dir, "--coordinator", f.Server, "--gossip-listen", "", "--log-level", "debug", "--name", filepath.Base(dir)}
	if !slices.Contains(flags, "--config") { // none of the machine that the tests run on, at which somebody may be working
		usual = append(usual, "--config", os.DevNull, "--idle-after", "0")
	}
	cmd := exec.CommandContext(ctx, program, append(usual, flags...)...)
	// Beside other tests a machine may stand still.
	cmd.Env = append(os.Environ(), "OVERCRANK_JOIN_TOKEN="+joinToken, "OVERCRANK_AGENT_HAND_OVER=2m")
	cmd.Stdout, cmd.Stderr = w.Said, w.Said
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = Patience
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(w.Done)
		_ = cmd.Wait() // its exit code tells
		w.Code = cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		cancel()
		<-w.Done
		if t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(dir), w.Said)
		}
	})
	return w
}
