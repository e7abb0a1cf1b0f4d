// Package boltfile opens bbolt files that may be damaged. bbolt itself walks a file in a goroutine of its own when it opens
// one, where damage ends the process, so here a file is looked through before.
package boltfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// ErrDamaged is what is wrong with a file that cannot be used.
var ErrDamaged = errors.New("the file is damaged")

// WayOut is what can be done about a node whose log, or what belongs to it, is damaged: nothing else holds what it held.
const WayOut = "restore the farm from a backup; or, when other coordinators have it, empty this one's data folder and let it join again"

// deepest is how far buckets may lie in each other. The farm's files nest them twice at most.
const deepest = 8

// Open opens the file at path, or makes it when it is missing or empty. It reports damage as ErrDamaged, and a file that
// another process holds for longer than options.Timeout as bbolt's own timeout error.
func Open(path string, options *bbolt.Options) (db *bbolt.DB, err error) {
	if err := check(path, options.Timeout); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return bbolt.Open(path, 0o600, options)
}

// check reads the structure of the whole file.
func check(path string, lockWait time.Duration) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer readAhead(path)()
	return View(path, lockWait, func(tx *bbolt.Tx) error {
		if used := tx.Size(); used > info.Size() {
			return fmt.Errorf("%w: it ends after %d of %d bytes", ErrDamaged, info.Size(), used)
		}
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return walkBucket(b, 1) })
	})
}

// View reads a file that is there without changing anything of it. Damage that fn meets is ErrDamaged; a file that another process
// writes for longer than lockWait gives bbolt's own timeout error.
func View(path string, lockWait time.Duration, fn func(*bbolt.Tx) error) (err error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: lockWait})
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout), errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return errors.Join(guarded(db, fn), db.Close())
}

// guarded turns what reading a page does that is not what it should be, panics and faults, into errors.
func guarded(db *bbolt.DB, fn func(*bbolt.Tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return db.View(fn)
}

func walkBucket(b *bbolt.Bucket, depth int) error {
	if depth > deepest {
		return fmt.Errorf("%w: its buckets lie too deep in each other", ErrDamaged)
	}
	return b.ForEachBucket(func(name []byte) error {
		inner := b.Bucket(name)
		if inner == nil {
			return fmt.Errorf("%w: bucket %q cannot be opened", ErrDamaged, name)
		}
		return walkBucket(inner, depth+1)
	})
}

// Close closes a file that is opened with NoFreelistSync, and notes in it which of its pages are free: the next Open does not
// have to look through the whole file for them then. The file is on the disk afterwards.
func Close(db *bbolt.DB) error {
	noted := NoteFree(db)
	if noted == nil {
		noted = db.Sync()
	}
	return errors.Join(noted, db.Close())
}

// NoteFree is the first step of Close: nothing may be written behind it.
func NoteFree(db *bbolt.DB) error {
	db.NoFreelistSync = false
	return db.Update(func(*bbolt.Tx) error { return nil })
}
