package ffmpeg

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// bound limits the memory of a process that was just started: an allocation beyond that fails, and the process ends with an error.
func bound(cmd *exec.Cmd, most uint64) {
	limit := unix.Rlimit{Cur: most, Max: most}
	// Errors are ignored: a process that has ended needs no limit, and one whose limit cannot be set already has a lower
	// one.
	_ = unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_DATA, &limit, nil)
}
