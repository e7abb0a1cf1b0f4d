package durable

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Full tells whether an error comes of a full disk.
func Full(err error) bool {
	return errors.Is(err, ErrNoRoom) || errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// Blocked tells whether an error comes of a disk that takes nothing at the moment and may do so again without a change of ours:
// it is full or write-protected, has failed, or was taken away.
func Blocked(err error) bool {
	if Full(err) {
		return true
	}
	for _, cause := range []error{windows.ERROR_WRITE_PROTECT, windows.ERROR_NOT_READY, windows.ERROR_IO_DEVICE, windows.ERROR_DEV_NOT_EXIST, windows.ERROR_NETNAME_DELETED} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}
