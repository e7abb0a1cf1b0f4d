package boltfile

import (
	"fmt"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"
)

// Release gives back what this process has mapped of an open file. The pages stay in the system's cache for as long as it
// has room for them, and come back when they are read; without it, every page that was ever read counts as the process's
// memory.
func Release(db *bbolt.DB) error {
	// A reader holds the mapping where it is.
	return db.View(func(tx *bbolt.Tx) error {
		_, _, failed := unix.Syscall(unix.SYS_MADVISE, db.Info().Data, uintptr(tx.Size()), unix.MADV_DONTNEED)
		if failed != 0 {
			return fmt.Errorf("give back the mapping of %s: %w", db.Path(), failed)
		}
		return nil
	})
}
