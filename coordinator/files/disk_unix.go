//go:build !windows

package files

import (
	"os"
	"syscall"
)

// errDiskFull is what a used-up quota gives instead of ENOSPC.
const errDiskFull = syscall.EDQUOT

// syncFolder makes a new name in a folder durable.
func syncFolder(dir *os.File) error { return dir.Sync() }
