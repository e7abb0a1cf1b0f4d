//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

// niceness lowers the priority of a child below what answers requests; 19 is the lowest.
const niceness = 10

// Apart shields the process from the terminal's interrupt: its parent ends it.
func Apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// giveWay lowers the priority of this process.
func giveWay() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) } // without it reading still works
