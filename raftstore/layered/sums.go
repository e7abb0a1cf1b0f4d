package layered

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cespare/xxhash/v2"
	"go.etcd.io/bbolt"

	"overcrank/raftstore/boltfile"
)

// Of each bucket the file has a row in a bucket of its own: how many rows and bytes the bucket has, and the sum of its rows' hashes. They
// change in the transactions that change the rows. A walk over the rows comes to the same, or something was changed or lost on the disk:
// a byte of a row, a row, a page, a place in the tree. What was derived from damaged rows cannot hide it: a row that is replaced is
// taken off the sum as it is found, which leaves the sum wrong for good when that was not what had been added.
//
// A bucket without such a row has not been counted yet, as in a file that rows were brought to in another way. A stamp says which state of
// the file the sums are of.

var (
	sumsBucket = []byte("sums of rows")
	stampKey   = []byte("stamp") // is no bucket's name
)

// Stamp is a row that every change writes.
type Stamp struct {
	Bucket []byte
	Key    string
}

// sum is what is known of the rows of a bucket.
type sum struct {
	rows  uint64
	bytes uint64 // of keys and values
	hash  uint64 // the sum of all rows', modulo 2^64, so that their order does not matter
}

func (s *sum) add(key, value []byte) {
	s.rows++
	s.bytes += uint64(len(key) + len(value))
	s.hash += rowHash(key, value)
}

func (s *sum) take(key, value []byte) {
	s.rows--
	s.bytes -= uint64(len(key) + len(value))
	s.hash -= rowHash(key, value)
}

func (s sum) text() []byte {
	text := binary.BigEndian.AppendUint64(nil, s.rows)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(text, s.bytes), s.hash)
}

// sumIn reads the sum of a bucket; known is false where there is none.
func sumIn(tx *bbolt.Tx, name []byte) (s sum, known bool, err error) {
	sums := tx.Bucket(sumsBucket)
	if sums == nil {
		return s, false, nil
	}
	switch text := sums.Get(name); len(text) {
	case 0:
		return s, false, nil
	case 24:
		return sum{binary.BigEndian.Uint64(text), binary.BigEndian.Uint64(text[8:]), binary.BigEndian.Uint64(text[16:])}, true, nil
	default:
		return s, false, fmt.Errorf("%w: the sum of %q has %d bytes", ErrDamaged, name, len(text))
	}
}

// rowHash is the hash of one row. A key and a value that share their bytes otherwise must not have the same.
func rowHash(key, value []byte) uint64 {
	const odd = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio, which spreads the bits
	return (xxhash.Sum64(key)*odd^uint64(len(key)))*odd ^ xxhash.Sum64(value)
}

// checkStamp is ErrDamaged when the sums of a file, if it has any, are not of the file as it is.
func checkStamp(tx *bbolt.Tx, stamp Stamp) error {
	sums, rows := tx.Bucket(sumsBucket), tx.Bucket(stamp.Bucket)
	if sums == nil || len(stamp.Bucket) == 0 || rows != nil && bytes.Equal(sums.Get(stampKey), rows.Get([]byte(stamp.Key))) {
		return nil
	}
	return fmt.Errorf("%w: the sums over its rows are of another state", ErrDamaged)
}

// DropSums forgets the sums of a file. Store.Verify makes them again.
func DropSums(tx *bbolt.Tx) error {
	if tx.Bucket(sumsBucket) == nil {
		return nil
	}
	return tx.DeleteBucket(sumsBucket)
}

// putSums writes the sums of some buckets and the stamp.
func (s *Store) putSums(tx *bbolt.Tx, changed map[string]sum) error {
	sums, err := tx.CreateBucketIfNotExists(sumsBucket)
	if err != nil {
		return err
	}
	for name, sum := range changed {
		if err := sums.Put([]byte(name), sum.text()); err != nil {
			return err
		}
	}
	if len(s.options.Stamp.Bucket) == 0 {
		return nil
	}
	return sums.Put(stampKey, bytes.Clone(tx.Bucket(s.options.Stamp.Bucket).Get([]byte(s.options.Stamp.Key))))
}

// Verify walks over all rows of the file and compares them with their sums; what has none gets them. pace is told how many bytes were
// read since it was told last, and may take its time; its error ends the walk. Damage is ErrDamaged, whatever reading it did.
func (s *Store) Verify(pace func(bytes int) error) error { return s.verifyAll(pace, s.count) }

// Sound is Verify without a pause, and without the sums that are missing.
func (s *Store) Sound() error { return s.verifyAll(unhurried, func([]byte) error { return nil }) }

func unhurried(int) error { return nil }

func (s *Store) verifyAll(pace func(bytes int) error, uncounted func(name []byte) error) error {
	for _, name := range s.options.Buckets {
		known, err := s.verify(name, pace)
		if err == nil && !known {
			err = uncounted(name)
		}
		if err != nil {
			return err
		}
	}
	tx, err := s.Reading()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // of a reading, which has nothing to lose
	return s.noting(boltfile.Guarded(func() error { return walkRest(tx, s.file, s.options.Buckets) }))
}

// verify compares one bucket with its sum, in a reading of its own: one over all of them would keep the file's pages for long.
func (s *Store) verify(name []byte, pace func(int) error) (known bool, err error) {
	tx, err := s.Reading()
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }() // of a reading, which has nothing to lose
	err = boltfile.Guarded(func() error {
		if err := checkStamp(tx, s.options.Stamp); err != nil {
			return err
		}
		known, err = verifyBucket(tx, s.file, name, pace)
		return err
	})
	return known, s.noting(err)
}

// VerifyReading is Verify for one reading of the file, of which nothing is written.
func (s *Store) VerifyReading(tx *bbolt.Tx, pace func(int) error) error {
	return s.noting(boltfile.Guarded(func() error {
		if err := checkStamp(tx, s.options.Stamp); err != nil {
			return err
		}
		for _, name := range s.options.Buckets {
			if _, err := verifyBucket(tx, s.file, name, pace); err != nil {
				return err
			}
		}
		return walkRest(tx, s.file, s.options.Buckets)
	}))
}

// Examine walks over a file that nobody uses yet: over the smallest buckets first, as far as they have no more than room bytes of rows
// together, or over all for a room below 0.
func Examine(tx *bbolt.Tx, stamp Stamp, buckets [][]byte, room int64) (err error) {
	file, err := os.Open(tx.DB().Path())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := walkRest(tx, file, buckets); err != nil {
		return err
	}
	if err := checkStamp(tx, stamp); err != nil {
		return err
	}
	type found struct {
		name []byte
		sum  sum
	}
	var all []found
	for _, name := range buckets {
		sum, known, err := sumIn(tx, name)
		if err != nil {
			return err
		}
		if tx.Bucket(name) == nil && !known {
			continue // of a release to come, or of one before
		}
		if room < 0 || known {
			all = append(all, found{name, sum})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.sum.bytes, b.sum.bytes) })
	for _, b := range all {
		if room >= 0 {
			if b.sum.bytes > uint64(room) {
				break
			}
			room -= int64(b.sum.bytes)
		}
		if _, err := verifyBucket(tx, file, b.name, unhurried); err != nil {
			return err
		}
	}
	return nil
}

// verifyBucket compares one bucket with its sum. One without a sum is walked over too.
func verifyBucket(tx *bbolt.Tx, file io.ReaderAt, name []byte, pace func(int) error) (known bool, err error) {
	want, known, err := sumIn(tx, name)
	if err != nil {
		return false, err
	}
	got, err := walk(tx, file, name, pace)
	if err == nil && known && got != want {
		err = fmt.Errorf("%w: %q holds %d rows with the sum %016x, and %d rows with the sum %016x were written", ErrDamaged, name, got.rows, got.hash, want.rows, want.hash)
	}
	return known, err
}

// count makes the sum of a bucket that has none. No portion is written meanwhile.
func (s *Store) count(name []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.changing(func(tx *bbolt.Tx) error {
		if _, known, err := sumIn(tx, name); known || err != nil {
			return err
		}
		got, err := walk(tx, s.file, name, unhurried)
		if err != nil {
			return err
		}
		return s.putSums(tx, map[string]sum{string(name): got})
	})
}
