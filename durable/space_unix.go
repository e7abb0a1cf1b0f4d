//go:build unix

package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// Space is the free space on the disk of a folder, as far as this account may use it, and the size of the disk, in bytes.
func Space(dir string) (free, size int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	block := blockSize(st.Bsize)
	return int64(st.Bavail) * block, int64(st.Blocks) * block, nil
}

// blockSize converts the size of a block, whose type differs between systems.
func blockSize[T int32 | uint32 | int64 | uint64](n T) int64 { return int64(n) }
