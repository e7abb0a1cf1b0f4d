//go:build unix

package durable

import (
	"errors"
	"syscall"
)

// Full reports whether an error means that the disk is full or a quota is used up.
func Full(err error) bool {
	return errors.Is(err, ErrNoRoom) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Blocked reports whether an error means that the disk cannot be written at the moment, but may be later without a change to the program:
// it is full or read-only, has failed, or was unmounted.
func Blocked(err error) bool {
	if Full(err) {
		return true
	}
	for _, cause := range []error{syscall.EROFS, syscall.EIO, syscall.ESTALE, syscall.ENXIO, syscall.ENODEV} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}
