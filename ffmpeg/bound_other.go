//go:build !linux

package ffmpeg

import "os/exec"

// Bound would limit the memory of a process to MaxMemory, which this system cannot: here only each block of memory is
// limited.
func Bound(*exec.Cmd) {}
