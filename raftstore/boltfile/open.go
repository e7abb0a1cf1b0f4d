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
func Open(path string, options *bbolt.Options) (*bbolt.DB, error) {
	return OpenLooked(path, options, func(tx *bbolt.Tx) error {
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return walkBucket(b, 1) })
	})
}

// OpenLooked is Open with a look of the caller's at what is in the file, instead of one at the structure of all of it. Where the file does
// not say which of its pages are free (FreeNoted) bbolt reads every key of it, so the look has to do so before.
func OpenLooked(path string, options *bbolt.Options, look func(*bbolt.Tx) error) (db *bbolt.DB, err error) {
	if err := check(path, options.Timeout, look); err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return bbolt.Open(path, 0o600, options)
}

// check looks at a file before it is opened for writing.
func check(path string, lockWait time.Duration, look func(*bbolt.Tx) error) error {
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
		return look(tx)
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
func guarded(db *bbolt.DB, fn func(*bbolt.Tx) error) error {
	return Guarded(func() error { return db.View(fn) })
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
// have to look through the whole file for them then. The file is on the disk afterwards. One that is damaged stays open, see NoteFree.
func Close(db *bbolt.DB) error {
	noted := NoteFree(db)
	if errors.Is(noted, ErrDamaged) {
		return noted
	}
	if noted == nil {
		noted = db.Sync()
	}
	return errors.Join(noted, db.Close())
}

// NoteFree is the first step of Close: nothing may be written behind it. After ErrDamaged the file cannot be closed any more: bbolt would
// wait for a change that cannot be taken back.
func NoteFree(db *bbolt.DB) error {
	db.NoFreelistSync = false
	return Change(db, func(*bbolt.Tx) error { return nil })
}

// Change makes a change to an open file, see Make.
func Change(db *bbolt.DB, fn func(*bbolt.Tx) error) error {
	return Guarded(func() error {
		tx, err := db.Begin(true)
		if err != nil {
			return err
		}
		return Make(tx, fn)
	})
}

// Make finishes a change that was begun. When it meets damage it is left as it is, neither made nor taken back, and nothing may be
// written to the file any more: to take a change back bbolt looks through the file in a goroutine of its own, where damage ends the process.
func Make(tx *bbolt.Tx, fn func(*bbolt.Tx) error) error {
	return Guarded(func() error {
		err := fn(tx)
		switch {
		case errors.Is(err, ErrDamaged):
			return err
		case err != nil:
			return errors.Join(err, tx.Rollback())
		}
		return tx.Commit()
	})
}

// Guarded runs what reads or changes an open file. bbolt takes for granted that a file is what it wrote: of one that is not it reads
// addresses that lead anywhere, panics, or touches memory that is not there. All of these become ErrDamaged.
func Guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return fn()
}
