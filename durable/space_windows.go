package durable

import (
	"os"

	"golang.org/x/sys/windows"
)

// Space is the free space on the disk of a folder, as far as this account may use it, and the size of the disk, in bytes.
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
