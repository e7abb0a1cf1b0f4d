//go:build unix

package durable

import (
	"errors"
	"syscall"
)

// Full tells whether an error comes of a full disk or a used-up quota.
func Full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
