package files

import (
	"os"

	"golang.org/x/sys/windows"
)

// errDiskFull is what Windows answers instead of ENOSPC.
const errDiskFull = windows.ERROR_DISK_FULL

// syncFolder does nothing: NTFS journals names, and folders cannot be flushed.
func syncFolder(*os.File) error { return nil }
