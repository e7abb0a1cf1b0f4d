//go:build !linux

package ffmpeg

import "os/exec"

// Bound keeps a process that was just started within MaxMemory, where the system can: here it cannot, and each block of memory is
// bounded alone.
func Bound(*exec.Cmd) {}
