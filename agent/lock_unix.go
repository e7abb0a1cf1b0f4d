//go:build unix

package agent

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"overcrank/durable"
)

// lockFolder takes a data folder for this process alone, as long as it lives.
func lockFolder(dir string) (release func() error, err error) {
	f, err := durable.OpenPrivate(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("locking the data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("another agent works in %s: give each its own data folder: %w", dir, err), f.Close())
	}
	// A process that is being forked at this moment has the file open as well: closing it would leave the lock to that process for a while.
	return func() error { return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close()) }, nil
}
