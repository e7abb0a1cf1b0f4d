//go:build !windows

package files

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errDiskFull is what a used-up quota gives instead of ENOSPC.
const errDiskFull = syscall.EDQUOT

func freeSpace(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}

// syncFolder makes a new name in a folder durable.
func syncFolder(dir *os.File) error { return dir.Sync() }
