//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ownProcessGroup keeps a terminal's interrupt away from the child: its parent ends it in order.
func ownProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// openFiles is how many files this process may open, connections among them. Go has raised the soft limit to the hard one.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > manyFiles {
		return manyFiles
	}
	return int(limit.Cur)
}

func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
