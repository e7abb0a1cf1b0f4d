//go:build unix && !linux

package aerender

import "syscall"

// dieWithParent has no counterpart outside Linux.
func dieWithParent(*syscall.SysProcAttr) {}

// lowerDisk has no counterpart for groups outside Linux.
func lowerDisk(int) {}
