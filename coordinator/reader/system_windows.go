package reader

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart keeps a console's interrupt away from the process: its parent ends it in order.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// giveWay lets others have the processors first.
func giveWay() {
	_ = windows.SetPriorityClass(windows.CurrentProcess(), windows.BELOW_NORMAL_PRIORITY_CLASS)
} // at worst it does not
