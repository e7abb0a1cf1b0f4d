package boltlog

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"overcrank/raftstore/boltfile"
)

const (
	aTerm = 0x0102030405060708
	aVote = "the-coordinator-that-was-voted-for"
)

// voted makes a file with a term and a vote.
func voted(t *testing.T, path string) {
	t.Helper()
	s := open(t, path)
	if err := errors.Join(s.SetUint64([]byte("CurrentTerm"), aTerm), s.Set([]byte("LastVoteCand"), []byte(aVote)), s.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestAFlippedBitNeverGivesAnotherTermOrVote(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log")
	voted(t, path)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	flip := func(at int) {
		damaged := []byte(string(whole))
		damaged[at] ^= 1 << (at % 8)
		path := filepath.Join(dir, strconv.Itoa(at)) // bbolt keeps the lock of a file that it could not open to the end
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err != nil {
			refused++
			if !errors.Is(err, boltfile.ErrDamaged) || !strings.Contains(err.Error(), "backup") {
				t.Fatalf("byte %d: %v", at, err)
			}
			return
		}
		defer s.Close()
		term, err := s.GetUint64([]byte("CurrentTerm"))
		vote, err2 := s.Get([]byte("LastVoteCand"))
		if err != nil || err2 != nil || term != aTerm || string(vote) != aVote {
			t.Fatalf("byte %d: term %x, %v; vote %q, %v", at, term, err, vote, err2)
		}
	}
	for at := 0; at < len(whole); at += 97 {
		flip(at)
	}
	for _, value := range []string{aVote, "CurrentTerm", "\x01\x02\x03\x04\x05\x06\x07\x08"} {
		at := 0
		for {
			next := strings.Index(string(whole[at:]), value)
			if next < 0 {
				break
			}
			flip(at + next)
			at += next + 1
		}
	}
	if refused == 0 {
		t.Error("no flipped bit was noticed")
	}
}

func TestAnEarlierReleaseMayChangeTheValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	voted(t, path)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoFreelistSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucketIfNotExists(bucketStable); return err }), // as it opens a file
		db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketStable).Put([]byte("CurrentTerm"), indexKey(aTerm+1)) }),
		db.Close())
	if err != nil {
		t.Fatal(err)
	}
	if term, err := open(t, path).GetUint64([]byte("CurrentTerm")); err != nil || term != aTerm+1 {
		t.Errorf("term %x, %v", term, err)
	}
}
