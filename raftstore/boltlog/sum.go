package boltlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"go.etcd.io/bbolt"

	"overcrank/raftstore/boltfile"
)

// bbolt has no checksum over what it keeps. A vote or a term that has become another one could let a node vote twice, so every change
// of the stable values also writes the hash of all of them.

var (
	bucketSum = []byte("sum")
	keySum    = []byte("stable") // 8 bytes number of the change that wrote the hash, then the hash
)

// closes is how many changes a file sees between the last hash and the next opening: the one by which boltfile.Close notes the free pages.
// After more of them a release wrote the file that knows no hash.
const closes = 1

// change makes a change of the stable values, and writes their hash.
func (s *Store) change(fn func(tx *bbolt.Tx) error) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return tx.Bucket(bucketSum).Put(keySum, append(indexKey(uint64(tx.ID())), sumOf(tx.Bucket(bucketStable))...))
	})
}

// verify is ErrDamaged when the stable values are not those that change has written.
func (s *Store) verify() error {
	return s.db.View(func(tx *bbolt.Tx) error {
		stable, sums := tx.Bucket(bucketStable), tx.Bucket(bucketSum)
		if stable == nil || sums == nil {
			return nil // a new file, or one of a release that knows no hash
		}
		kept := sums.Get(keySum)
		if len(kept) != 8+sha256.Size {
			return fmt.Errorf("%w: the hash of its values is not whole", boltfile.ErrDamaged)
		}
		written := binary.BigEndian.Uint64(kept)
		if uint64(tx.ID()) <= written+closes && !bytes.Equal(kept[8:], sumOf(stable)) {
			return fmt.Errorf("%w: its values are not what was written", boltfile.ErrDamaged)
		}
		return nil
	})
}

func sumOf(stable *bbolt.Bucket) []byte {
	digest := sha256.New()
	field := func(b []byte) {
		digest.Write(binary.BigEndian.AppendUint32(nil, uint32(len(b))))
		digest.Write(b)
	}
	_ = stable.ForEach(func(key, value []byte) error { // fn never fails
		field(key)
		field(value)
		return nil
	})
	return digest.Sum(nil)
}
