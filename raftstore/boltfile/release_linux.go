package boltfile

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// Mapped is how many bytes of files this process has in memory by mapping them, 0 where that cannot be told.
func Mapped() int64 {
	status, err := os.ReadFile("/proc/self/statm")
	fields := bytes.Fields(status)
	if err != nil || len(fields) < 3 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// Release gives back what this process has mapped of an open file, by a reading of it. The pages stay in the system's cache for as long as it
// has room for them, and come back when they are read; without it, every page that was ever read counts as the process's
// memory.
func Release(tx *bbolt.Tx) error {
	// The reading holds the mapping where it is.
	_, _, failed := unix.Syscall(unix.SYS_MADVISE, tx.DB().Info().Data, uintptr(tx.Size()), unix.MADV_DONTNEED)
	if failed != 0 {
		return fmt.Errorf("give back the mapping of %s: %w", tx.DB().Path(), failed)
	}
	return nil
}
