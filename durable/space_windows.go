package durable

import (
	"os"

	"golang.org/x/sys/windows"
)

// Space is how much of the disk under a folder this account may still use, and how large the disk is, in bytes.
func Space(dir string) (free, size int64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, &os.PathError{Op: "GetDiskFreeSpaceEx", Path: dir, Err: err}
	}
	var forMe, all uint64
	if err := windows.GetDiskFreeSpaceEx(name, &forMe, &all, nil); err != nil {
		return 0, 0, &os.PathError{Op: "GetDiskFreeSpaceEx", Path: dir, Err: err}
	}
	return int64(forMe), int64(all), nil
}
