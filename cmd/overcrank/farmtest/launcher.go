//go:build linux

package farmtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// StartLauncher builds the launcher and starts it, with an installed version of the agent beside it. The agent is the program of the farm.
func StartLauncher(t *testing.T, f *Farm, name, token, roots string) (dataDir string) {
	t.Helper()
	return StartLauncherOf(t, AgentProgram(t), f, name, token, roots).DataDir
}

// Launched is a launcher that runs, with the agent that it started.
type Launched struct {
	DataDir string // the agent's
	Program string // the agent's, as it is installed
	PID     int    // the launcher's
}

// StartLauncherOf is StartLauncher with another program of the agent.
func StartLauncherOf(t *testing.T, agent []byte, f *Farm, name, token, roots string) Launched {
	t.Helper()
	programs, state, dataDir := t.TempDir(), filepath.Join(t.TempDir(), "launcher"), filepath.Join(t.TempDir(), name)
	path := filepath.Join(programs, "overcrank")
	build := exec.Command("go", "build", "-o", path, "overcrank/cmd/overcrank-launcher")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the launcher: %v\n%s", err, out)
	}
	installed := filepath.Join(programs, "versions", "1.0.0")
	if err := os.MkdirAll(installed, 0o755); err != nil {
		t.Fatal(err)
	}
	WriteProgram(t, filepath.Join(installed, "overcrank-agent"), agent)
	ctx, stop := context.WithCancel(context.Background())
	said := &Buffer{}
	cmd := exec.CommandContext(ctx, path, "service", "--state", state, "--logs", "")
	cmd.Env = append(os.Environ(),
		"OVERCRANK_AGENT_DATA_DIR="+dataDir, "OVERCRANK_AGENT_COORDINATOR="+f.Server, "OVERCRANK_AGENT_JOIN_TOKEN="+token, "OVERCRANK_AGENT_NAME="+name,
		"OVERCRANK_AGENT_GOSSIP_LISTEN=", "OVERCRANK_AGENT_IDLE_AFTER=0s", "OVERCRANK_AGENT_CONFIG="+os.DevNull, "OVERCRANK_AGENT_RELEASE_ROOTS="+roots)
	cmd.Stdout, cmd.Stderr = said, said
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = Patience
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it was stopped
		if t.Failed() {
			t.Logf("the launcher said:\n%s", said)
		}
	})
	return Launched{DataDir: dataDir, Program: filepath.Join(installed, "overcrank-agent"), PID: cmd.Process.Pid}
}

// AgentProgramOf is AgentProgram by another build of the program.
func AgentProgramOf(program string) []byte {
	return []byte("#!/bin/sh\n[ \"$1\" = agent ] || set -- agent \"$@\"\nexec '" + program + "' \"$@\"\n")
}

// AgentProgram is a program that does what overcrank-agent does.
func AgentProgram(t *testing.T) []byte {
	t.Helper()
	return AgentProgramOf(Program(t))
}
