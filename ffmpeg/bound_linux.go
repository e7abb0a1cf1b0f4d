package ffmpeg

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// Bound limits the memory of a process that was just started to MaxMemory: an allocation beyond that fails, and the
// process ends with an error. On systems without such a limit for a running process it does nothing.
func Bound(cmd *exec.Cmd) {
	limit := unix.Rlimit{Cur: MaxMemory, Max: MaxMemory}
	// Errors are ignored: a process that has ended needs no limit, and one whose limit cannot be set already has a lower
	// one.
	_ = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_DATA, &limit, nil)
}
