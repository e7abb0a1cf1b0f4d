package durable

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Full reports whether an error means that the disk is full.
func Full(err error) bool {
	return errors.Is(err, ErrNoRoom) || errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// Blocked reports whether an error means that the disk cannot be written at the moment, but may be later without a change to the program:
// it is full or write-protected, has failed, or was removed.
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
