//go:build unix

package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// Space is how much of the disk under a folder this account may still use, and how large the disk is, in bytes.
func Space(dir string) (free, size int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	block := blockSize(st.Bsize)
	return int64(st.Bavail) * block, int64(st.Blocks) * block, nil
}

// blockSize takes the size of a block, whose type differs from system to system.
func blockSize[T int32 | uint32 | int64 | uint64](n T) int64 { return int64(n) }
