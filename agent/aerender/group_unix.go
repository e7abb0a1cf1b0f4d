//go:build unix

package aerender

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// group is an engine with all its children: its own process group, so that a launcher's children end with it.
type group struct{ leader *os.Process }

func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
}

func newGroup(cmd *exec.Cmd) (*group, error) { return &group{leader: cmd.Process}, nil }

// ask asks every process of the group to stop.
func (g *group) ask() { g.signal(syscall.SIGTERM) }

// kill ends every process of the group. It also serves after the leader has ended: children may have outlived it.
func (g *group) kill() { g.signal(syscall.SIGKILL) }

func (g *group) signal(s syscall.Signal) {
	// The group may have ended already, which is what was wanted.
	_ = syscall.Kill(-g.leader.Pid, s)
}

// lower leaves the group what other programs do not want. Its later children inherit that.
func (g *group) lower() {
	const idle = 19
	// One that has ended has no priority any more, and nobody needs to know.
	_ = syscall.Setpriority(syscall.PRIO_PGRP, g.leader.Pid, idle)
	lowerDisk(g.leader.Pid)
}

func (g *group) close() {}

// exitCode is the program's exit code, as a shell counts it for one that a signal ended.
func exitCode(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return -1
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}
