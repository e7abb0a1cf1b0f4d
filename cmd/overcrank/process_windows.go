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

// openFiles is how many files this process may open; Windows sets no limit.
func openFiles() int { return manyFiles }

// interrupt ends the process; Windows has no signal that asks for it.
func interrupt(p *os.Process) error { return p.Kill() }
