//go:build !linux

package boltfile

import "go.etcd.io/bbolt"

// Mapped is 0: it cannot be told here.
func Mapped() int64 { return 0 }

// Release gives back what this process has mapped of an open file, on systems where that can be done beside readers.
func Release(*bbolt.Tx) error { return nil }
