package ffmpeg

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// Bound keeps a process that was just started within MaxMemory: what it takes beyond fails, and it ends with an error. On systems that
// have no such limit for a running process it does nothing.
func Bound(cmd *exec.Cmd) {
	limit := unix.Rlimit{Cur: MaxMemory, Max: MaxMemory}
	// A process that has ended already needs no limit, and one that may not get it has one that is lower.
	_ = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_DATA, &limit, nil)
}
