//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// ownProcessGroup keeps a terminal's interrupt away from the child: its parent ends it in order.
func ownProcessGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// mostConnections leaves a quarter of the files that this process may open to the farm itself. Go has raised the soft
// limit to the hard one.
func mostConnections() int {
	const unlimited = 1 << 18
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > unlimited {
		return unlimited
	}
	return max(64, int(limit.Cur/4*3))
}

func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
