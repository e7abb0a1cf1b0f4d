package child

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// Apart shields the process from the console's interrupt: its parent ends it.
func Apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// giveWay lowers the priority of this process.
func giveWay() {
	_ = windows.SetPriorityClass(windows.CurrentProcess(), windows.BELOW_NORMAL_PRIORITY_CLASS)
} // at worst it does not
