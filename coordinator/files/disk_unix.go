//go:build !windows

package files

import (
	"os"
	"syscall"
)

// errDiskFull is returned instead of ENOSPC when a quota is used up.
const errDiskFull = syscall.EDQUOT

// syncFolder makes new names in a folder durable.
func syncFolder(dir *os.File) error { return dir.Sync() }
