package process

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup starts a child in a process group of its own, so that Ctrl-C in a console does not reach it: its parent ends it in order.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// OpenFiles is how many files this process may have open; Windows sets no limit.
func OpenFiles() int { return ManyFiles }

// Interrupt ends a process; Windows has no signal that asks for it.
func Interrupt(p *os.Process) error { return p.Kill() }
