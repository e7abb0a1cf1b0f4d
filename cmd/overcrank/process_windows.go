package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ownProcessGroup keeps a console's interrupt away from the child: its parent ends it in order.
func ownProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// mostConnections is what memory bears; Windows sets no limit per process.
func mostConnections() int { return 1 << 16 }

// interrupt ends the process; Windows has no signal that asks for it.
func interrupt(p *os.Process) error { return p.Kill() }
