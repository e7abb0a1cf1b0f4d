package raftstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// ErrRunning says that a process works on a node's folder.
var ErrRunning = errors.New("a coordinator runs on this folder")

// Hold keeps processes from working on a node's folder until release; ErrRunning when one does. A folder without a state is held by
// nobody.
func Hold(dir string) (release func() error, err error) {
	path := filepath.Join(dir, stableFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return func() error { return nil }, nil
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%s: %w", dir, ErrRunning)
	}
	if err != nil {
		return nil, fmt.Errorf("looking whether a coordinator runs on %s: %w", dir, err)
	}
	return db.Close, nil
}
