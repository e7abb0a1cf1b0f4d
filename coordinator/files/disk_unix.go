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
	return int64(st.Bavail) * blockSize(st.Bsize), nil
}

// blockSize takes the size of a block, whose type differs from system to system.
func blockSize[T int32 | uint32 | int64 | uint64](n T) int64 { return int64(n) }

// syncFolder makes a new name in a folder durable.
func syncFolder(dir *os.File) error { return dir.Sync() }
