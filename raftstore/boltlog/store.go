// Package boltlog keeps the Raft log and Raft's few stable values in one bbolt file, every write synced to the disk.
package boltlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
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

// errNotFound is what Get and GetUint64 answer for a key that was never set. Raft compares the text.
var errNotFound = errors.New("not found")

// lockWait is how long Open waits for another process to let go of the file.
const lockWait = time.Second

// Store is a raft.LogStore and raft.StableStore. It is safe for concurrent use.
type Store struct{ db *bbolt.DB }

// The store says that its log has no gaps, so that Raft empties it after installing a snapshot.
var (
	_ raft.LogStore          = (*Store)(nil)
	_ raft.StableStore       = (*Store)(nil)
	_ raft.MonotonicLogStore = (*Store)(nil)
)

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
	if errors.Is(err, boltfile.ErrDamaged) {
		return nil, fmt.Errorf("open Raft log %s: %w; put the folder it lies in back from a backup", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open Raft log %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketLog, bucketStable} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare Raft log %s: %w", path, err), db.Close())
	}
	return &Store{db: db}, nil
}

// Close closes the file.
func (s *Store) Close() error { return boltfile.Close(s.db) }

// Release gives back what is mapped of the file.
func (s *Store) Release() error { return boltfile.Release(s.db) }

// Size is the size of the file in bytes; it never shrinks while the store is open.
func (s *Store) Size() (int64, error) {
	info, err := os.Stat(s.db.Path())
	if err != nil {
		return 0, fmt.Errorf("size of Raft log: %w", err)
	}
	return info.Size(), nil
}

// IsMonotonic is true: the indexes in the log are dense.
func (s *Store) IsMonotonic() bool { return true }

// FirstIndex is the index of the oldest entry, 0 without entries.
func (s *Store) FirstIndex() (uint64, error) { return s.edge((*bbolt.Cursor).First) }

// LastIndex is the index of the newest entry, 0 without entries.
func (s *Store) LastIndex() (uint64, error) { return s.edge((*bbolt.Cursor).Last) }

func (s *Store) edge(move func(*bbolt.Cursor) (key, value []byte)) (index uint64, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		if key, _ := move(tx.Bucket(bucketLog).Cursor()); key != nil {
			index = binary.BigEndian.Uint64(key)
		}
		return nil
	})
	return index, err
}

// GetLog reads one entry into log; raft.ErrLogNotFound when there is none.
func (s *Store) GetLog(index uint64, log *raft.Log) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket(bucketLog).Get(indexKey(index))
		if value == nil {
			return raft.ErrLogNotFound
		}
		return decode(index, value, log)
	})
}

// StoreLog adds one entry.
func (s *Store) StoreLog(log *raft.Log) error { return s.StoreLogs([]*raft.Log{log}) }

// StoreLogs adds entries; they are on the disk when it returns.
func (s *Store) StoreLogs(logs []*raft.Log) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(bucketLog)
		bucket.FillPercent = 0.95
		for _, log := range logs {
			if err := bucket.Put(indexKey(log.Index), encode(log)); err != nil {
				return fmt.Errorf("store Raft log entry %d: %w", log.Index, err)
			}
		}
		return nil
	})
}

// deleteGroup is how many entries one transaction deletes. New entries are stored between two of them.
const deleteGroup = 2000

// DeleteRange deletes the entries from first to last, both included, in a way that leaves the log without gaps wherever it
// is cut off. Deleting all of them costs the same however many there are.
func (s *Store) DeleteRange(first, last uint64) error {
	for done := false; !done; {
		err := s.db.Update(func(tx *bbolt.Tx) (err error) {
			done, err = deleteSome(tx, first, last)
			return err
		})
		if err != nil {
			return fmt.Errorf("delete Raft log entries %d to %d: %w", first, last, err)
		}
	}
	return nil
}

// deleteSome deletes a group of the entries: the oldest when the log is shortened at its front, else the newest.
func deleteSome(tx *bbolt.Tx, first, last uint64) (done bool, err error) {
	bucket := tx.Bucket(bucketLog)
	cursor := bucket.Cursor()
	key, _ := cursor.First()
	if key == nil {
		return true, nil
	}
	oldest := binary.BigEndian.Uint64(key)
	key, _ = cursor.Last()
	newest := binary.BigEndian.Uint64(key)
	if first <= oldest && newest <= last {
		if err := tx.DeleteBucket(bucketLog); err != nil {
			return false, err
		}
		_, err := tx.CreateBucket(bucketLog)
		return true, err
	}
	first, last = max(first, oldest), min(last, newest)
	if first > last {
		return true, nil
	}
	from, to := first, min(last, first+deleteGroup-1)
	if first > oldest {
		from, to = max(first, last-min(last, deleteGroup-1)), last
	}
	for index := from; index <= to; index++ {
		if err := bucket.Delete(indexKey(index)); err != nil {
			return false, err
		}
	}
	return to-from == last-first, nil
}

// Set keeps a stable value.
func (s *Store) Set(key, value []byte) error {
	return s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketStable).Put(key, value) })
}

// Get reads a stable value.
func (s *Store) Get(key []byte) (value []byte, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		stored := tx.Bucket(bucketStable).Get(key)
		if stored == nil {
			return errNotFound
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
