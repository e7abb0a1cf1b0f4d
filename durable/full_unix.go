//go:build unix

package durable

import (
	"errors"
	"syscall"
)

// Full tells whether an error comes of a full disk or a used-up quota.
func Full(err error) bool {
	return errors.Is(err, ErrNoRoom) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Blocked tells whether an error comes of a disk that takes nothing at the moment and may do so again without a change of ours:
// it is full or read-only, has failed, or was taken away.
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
