//go:build unix

package reader

import (
	"os/exec"
	"syscall"
)

// niceness lowers the priority of the reader below what answers requests; 19 is the lowest.
const niceness = 10

// apart shields the process from the terminal's interrupt: its parent ends it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// giveWay lowers the priority of this process.
func giveWay() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) } // without it reading still works
