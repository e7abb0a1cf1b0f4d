//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup starts a child in a process group of its own, so that Ctrl-C in a terminal does not reach it: its parent ends it in order.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// OpenFiles is how many files this process may have open, connections among them. Go has raised the soft limit to the hard one.
func OpenFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > ManyFiles {
		return ManyFiles
	}
	return int(limit.Cur)
}

// Interrupt asks a process to end.
func Interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
