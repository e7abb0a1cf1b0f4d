// Package boltlog keeps Raft's few stable values in a bbolt file, every write synced to the disk. Up to version 0.1 the log lay in
// the same file; it is read, and taken out, once.
package boltlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"overcrank/raftstore/boltfile"
)

var (
	bucketLog    = []byte("log")
	bucketStable = []byte("stable")
)

// ErrNotFound is what Get and GetUint64 answer for a key that was never set. Raft compares the text.
var ErrNotFound = errors.New("not found")

// lockWait is how long Open waits for another process to let go of the file.
const lockWait = time.Second

// Store is a raft.StableStore. It is safe for concurrent use.
type Store struct{ db *bbolt.DB }

var _ raft.StableStore = (*Store)(nil)

// Open opens the file at path and makes it when it is missing.
func Open(path string) (*Store, error) {
	db, err := boltfile.Open(path, &bbolt.Options{
		Timeout:        lockWait,
		FreelistType:   bbolt.FreelistMapType,
		NoFreelistSync: true,
	})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, fmt.Errorf("open Raft log %s: another process has it open; is the farm already running on this folder?", path)
	}
	var s *Store
	if err == nil {
		s = &Store{db: db}
		err = s.prepare()
	}
	if err == nil {
		return s, nil
	}
	if s != nil {
		err = errors.Join(err, db.Close())
	}
	if errors.Is(err, boltfile.ErrDamaged) {
		err = fmt.Errorf("%w; "+boltfile.WayOut, err)
	}
	return nil, fmt.Errorf("open Raft log %s: %w", path, err)
}

// prepare checks what is in the file and makes what is missing.
func (s *Store) prepare() error {
	if err := s.verify(); err != nil {
		return err
	}
	return s.change(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketLog, bucketStable, bucketSum} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close closes the file.
func (s *Store) Close() error { return boltfile.Close(s.db) }

// Set keeps a stable value.
func (s *Store) Set(key, value []byte) error {
	return s.change(func(tx *bbolt.Tx) error { return tx.Bucket(bucketStable).Put(key, value) })
}

// Get reads a stable value.
func (s *Store) Get(key []byte) (value []byte, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		stored := tx.Bucket(bucketStable).Get(key)
		if stored == nil {
			return ErrNotFound
		}
		value = append([]byte{}, stored...)
		return nil
	})
	return value, err
}

// SetUint64 keeps a stable number.
func (s *Store) SetUint64(key []byte, value uint64) error { return s.Set(key, indexKey(value)) }

// GetUint64 reads a stable number.
func (s *Store) GetUint64(key []byte) (uint64, error) {
	value, err := s.Get(key)
	if err != nil {
		return 0, err
	}
	if len(value) != 8 {
		return 0, fmt.Errorf("stable value %q holds %d bytes where a number has 8: the Raft log file is damaged", key, len(value))
	}
	return binary.BigEndian.Uint64(value), nil
}

func indexKey(index uint64) []byte { return binary.BigEndian.AppendUint64(nil, index) }
