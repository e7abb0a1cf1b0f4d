//go:build unix

package reader

import (
	"os/exec"
	"syscall"
)

// politeness is by how much the reader stands behind what answers requests, in the system's steps of up to 19.
const politeness = 10

// apart keeps a terminal's interrupt away from the process: its parent ends it in order.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// giveWay lets others have the processors first.
func giveWay() { _ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, politeness) } // at worst it does not
