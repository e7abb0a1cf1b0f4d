package boltlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"

	"overcrank/raftstore/seglog"
)

// Last is the newest entry of the log in this file; raft.ErrLogNotFound when there is none.
func (s *Store) Last(log *raft.Log) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		key, value := tx.Bucket(bucketLog).Cursor().Last()
		if key == nil {
			return raft.ErrLogNotFound
		}
		return decode(key, value, log)
	})
}

// groupSize is how many bytes of entries are handed over at once.
const groupSize = 4 << 20

// Entries hands over the log in this file, in order.
func (s *Store) Entries(visit func(group []*raft.Log) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		var group []*raft.Log
		size, cursor := 0, tx.Bucket(bucketLog).Cursor()
		for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
			log := new(raft.Log)
			if err := decode(key, value, log); err != nil {
				return err
			}
			group, size = append(group, log), size+len(value)
			if size < groupSize {
				continue
			}
			if err := visit(group); err != nil {
				return err
			}
			group, size = nil, 0
		}
		if len(group) == 0 {
			return nil
		}
		return visit(group)
	})
}

func decode(key, value []byte, log *raft.Log) error {
	return seglog.DecodeEntry(binary.BigEndian.Uint64(key), bytes.Clone(value), log)
}

// WithoutEntries makes the file at path anew, with its stable values only: bbolt gives no room back that it once took. Nobody
// may have the file open. However it is interrupted, the file is the old one or the new.
func WithoutEntries(path string) error {
	if err := withoutEntries(path); err != nil {
		return fmt.Errorf("take the log out of %s: %w", path, err)
	}
	return nil
}

func withoutEntries(path string) error {
	old, err := Open(path)
	if err != nil {
		return err
	}
	next := path + ".new"
	err = os.RemoveAll(next)
	if err == nil {
		err = copyStable(old, next)
	}
	if err = errors.Join(err, old.Close()); err != nil {
		return err
	}
	return os.Rename(next, path)
}

func copyStable(old *Store, next string) error {
	s, err := Open(next)
	if err != nil {
		return err
	}
	err = old.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketStable).ForEach(func(key, value []byte) error { return s.Set(key, value) })
	})
	return errors.Join(err, s.Close())
}
