//go:build unix

package agent

import (
	"errors"
	"syscall"
)

// diskFull tells whether an error comes of a full disk or a used-up quota.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
