package boltlog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"

	"overcrank/faults/leaktest"
	"overcrank/raftstore/seglog"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fill writes entries as earlier versions did.
func fill(t *testing.T, s *Store, first, last uint64) {
	t.Helper()
	err := s.db.Update(func(tx *bbolt.Tx) error {
		for i := first; i <= last; i++ {
			log := &raft.Log{Index: i, Term: 3, Data: bytes.Repeat([]byte{byte(i)}, 500)}
			if err := tx.Bucket(bucketLog).Put(indexKey(i), seglog.AppendEntry(nil, log)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestEarlierEntriesAreHandedOverInOrder(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "log"))
	var log raft.Log
	if err := s.Last(&log); !errors.Is(err, raft.ErrLogNotFound) {
		t.Errorf("the last of no entries is %+v, %v", log, err)
	}
	const first, last = 7, 20_006 // some groups
	fill(t, s, first, last)
	if err := s.Last(&log); err != nil || log.Index != last || log.Term != 3 {
		t.Errorf("the last is %d, %v", log.Index, err)
	}
	next, groups := uint64(first), 0
	err := s.Entries(func(group []*raft.Log) error {
		groups++
		for _, log := range group {
			if log.Index != next || log.Term != 3 || !bytes.Equal(log.Data, bytes.Repeat([]byte{byte(next)}, 500)) {
				t.Fatalf("entry %d stands where %d belongs, or is another", log.Index, next)
			}
			next++
		}
		return nil
	})
	if err != nil || next != last+1 || groups < 2 {
		t.Errorf("%d groups came up to %d, %v", groups, next, err)
	}
}

func TestADamagedEarlierEntryIsNamed(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "log"))
	fill(t, s, 1, 3)
	err := s.db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucketLog).Put(indexKey(2), []byte("not an entry, but as long as one"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Entries(func([]*raft.Log) error { return nil }); err == nil || !strings.Contains(err.Error(), "entry 2 of the Raft log is damaged") {
		t.Errorf("damaged entry answers %v", err)
	}
}

func TestStableValuesStayWithoutEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	s := open(t, path)
	fill(t, s, 1, 5000)
	if err := s.SetUint64([]byte("CurrentTerm"), 77); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := WithoutEntries(path); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	s = open(t, path)
	if err := s.Last(new(raft.Log)); !errors.Is(err, raft.ErrLogNotFound) {
		t.Errorf("the last of no entries: %v", err)
	}
	if got, err := s.GetUint64([]byte("CurrentTerm")); got != 77 || err != nil {
		t.Errorf("GetUint64 = %d, %v", got, err)
	}
}

func TestStableValues(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "log"))
	if _, err := s.Get([]byte("LastVoteCand")); err == nil || err.Error() != "not found" {
		t.Errorf("missing value answers %v; Raft expects the text \"not found\"", err)
	}
	if _, err := s.GetUint64([]byte("CurrentTerm")); err == nil || err.Error() != "not found" {
		t.Errorf("missing number answers %v; Raft expects the text \"not found\"", err)
	}
	if err := s.SetUint64([]byte("CurrentTerm"), 77); err != nil {
		t.Fatal(err)
	}
	if got, err := s.GetUint64([]byte("CurrentTerm")); got != 77 || err != nil {
		t.Errorf("GetUint64 = %d, %v", got, err)
	}
	if err := s.Set([]byte("LastVoteCand"), []byte("me")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get([]byte("LastVoteCand")); string(got) != "me" || err != nil {
		t.Errorf("Get = %q, %v", got, err)
	}
	if _, err := s.GetUint64([]byte("LastVoteCand")); err == nil {
		t.Error("a value of two bytes was read as a number")
	}
}

func TestSecondProcessIsTurnedAway(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	open(t, path)
	if second, err := Open(path); err == nil {
		second.Close()
		t.Fatal("the file could be opened twice")
	} else if !strings.Contains(err.Error(), "already running") {
		t.Errorf("error does not say what to do: %v", err)
	}
}
