package durable

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Full tells whether an error comes of a full disk.
func Full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
