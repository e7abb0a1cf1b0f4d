package agent

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/windows"

	"overcrank/durable"
)

// lockFolder takes a data folder for this process alone, as long as it lives.
func lockFolder(dir string) (release func() error, err error) {
	f, err := durable.OpenPrivate(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("locking the data folder: %w", err)
	}
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY)
	if err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped)); err != nil {
		return nil, errors.Join(fmt.Errorf("another agent works in %s: give each its own data folder: %w", dir, err), f.Close())
	}
	return f.Close, nil
}
