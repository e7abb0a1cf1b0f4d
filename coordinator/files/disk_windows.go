package files

import (
	"os"

	"golang.org/x/sys/windows"
)

// errDiskFull is what Windows answers instead of ENOSPC.
const errDiskFull = windows.ERROR_DISK_FULL

func freeSpace(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, nil, nil); err != nil {
		return 0, &os.PathError{Op: "GetDiskFreeSpaceEx", Path: dir, Err: err}
	}
	return int64(free), nil
}

// syncFolder does nothing: NTFS journals names, and folders cannot be flushed.
func syncFolder(*os.File) error { return nil }
