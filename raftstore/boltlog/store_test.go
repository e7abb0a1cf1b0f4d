package boltlog

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"go.etcd.io/bbolt"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func fill(t *testing.T, s *Store, first, last uint64) {
	t.Helper()
	var logs []*raft.Log
	for i := first; i <= last; i++ {
		logs = append(logs, &raft.Log{Index: i, Term: 3, Data: bytes.Repeat([]byte{byte(i)}, 500)})
	}
	if err := s.StoreLogs(logs); err != nil {
		t.Fatal(err)
	}
}

func wantEdges(t *testing.T, s *Store, first, last uint64) {
	t.Helper()
	gotFirst, err := s.FirstIndex()
	if err != nil {
		t.Fatal(err)
	}
	gotLast, err := s.LastIndex()
	if err != nil {
		t.Fatal(err)
	}
	if gotFirst != first || gotLast != last {
		t.Fatalf("log holds %d to %d, want %d to %d", gotFirst, gotLast, first, last)
	}
}

func TestEntriesComeBackWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	s := open(t, path)
	wantEdges(t, s, 0, 0)
	at := time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)
	entries := []*raft.Log{
		{Index: 1, Term: 1, Type: raft.LogConfiguration, Data: []byte("peers"), AppendedAt: at},
		{Index: 2, Term: 9, Type: raft.LogCommand, Data: bytes.Repeat([]byte("x"), 100_000), Extensions: []byte("ext")},
		{Index: 3, Term: 9, Type: raft.LogNoop},
	}
	if err := s.StoreLogs(entries); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, path)
	wantEdges(t, s, 1, 3)
	for _, want := range entries {
		var got raft.Log
		if err := s.GetLog(want.Index, &got); err != nil {
			t.Fatal(err)
		}
		if got.Index != want.Index || got.Term != want.Term || got.Type != want.Type || !bytes.Equal(got.Data, want.Data) ||
			!bytes.Equal(got.Extensions, want.Extensions) || !got.AppendedAt.Equal(want.AppendedAt) {
			t.Errorf("entry %d came back as %+v", want.Index, got)
		}
	}
	if err := s.GetLog(4, new(raft.Log)); !errors.Is(err, raft.ErrLogNotFound) {
		t.Errorf("missing entry answers %v", err)
	}
}

func TestDeleteRange(t *testing.T) {
	for name, tc := range map[string]struct{ min, max, first, last uint64 }{
		"the front":       {1, 40, 41, 100},
		"the tail":        {61, 100, 1, 60},
		"all":             {1, 100, 0, 0},
		"more than all":   {0, 1 << 40, 0, 0},
		"nothing of it":   {200, 300, 1, 100},
		"one":             {1, 1, 2, 100},
		"all but the end": {1, 99, 100, 100},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "log"))
			fill(t, s, 1, 100)
			if err := s.DeleteRange(tc.min, tc.max); err != nil {
				t.Fatal(err)
			}
			wantEdges(t, s, tc.first, tc.last)
			for i := uint64(1); i <= 100; i++ {
				kept := i < tc.min || i > tc.max
				if err := s.GetLog(i, new(raft.Log)); (err == nil) != kept {
					t.Fatalf("entry %d: %v, want kept %v", i, err, kept)
				}
			}
		})
	}
}

func TestDeleteRangeInSeveralGroups(t *testing.T) {
	const all = 3*deleteGroup + 10
	for name, tc := range map[string]struct{ min, max, first, last uint64 }{
		"the front": {1, all - 5, all - 4, all},
		"the tail":  {6, all, 1, 5},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "log"))
			fill(t, s, 1, all)
			if err := s.DeleteRange(tc.min, tc.max); err != nil {
				t.Fatal(err)
			}
			wantEdges(t, s, tc.first, tc.last)
			if err := s.GetLog(deleteGroup, new(raft.Log)); !errors.Is(err, raft.ErrLogNotFound) {
				t.Errorf("a deleted entry answers %v", err)
			}
		})
	}
}

func TestDeleteRangeOfAnEmptyLog(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "log"))
	if err := s.DeleteRange(1, 10); err != nil {
		t.Fatal(err)
	}
	fill(t, s, 11, 12)
	wantEdges(t, s, 11, 12)
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

func TestDamagedEntryIsAnErrorThatNamesIt(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "log"))
	fill(t, s, 1, 3)
	for name, damage := range map[string]func([]byte) []byte{
		"one bit":       func(v []byte) []byte { v[len(v)-1] ^= 1; return v },
		"cut short":     func(v []byte) []byte { return v[:10] },
		"empty":         func([]byte) []byte { return []byte{} },
		"another place": func([]byte) []byte { return encode(&raft.Log{Index: 9, Data: []byte("x")}) },
	} {
		t.Run(name, func(t *testing.T) {
			err := s.db.Update(func(tx *bbolt.Tx) error {
				value := encode(&raft.Log{Index: 2, Term: 3, Data: []byte("data")})
				return tx.Bucket(bucketLog).Put(indexKey(2), damage(value))
			})
			if err != nil {
				t.Fatal(err)
			}
			err = s.GetLog(2, new(raft.Log))
			if err == nil || !strings.Contains(err.Error(), "entry 2 of the Raft log is damaged") {
				t.Errorf("damaged entry answers %v", err)
			}
		})
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

func FuzzDecode(f *testing.F) {
	f.Add(encode(&raft.Log{Index: 7, Term: 2, Data: []byte("data"), Extensions: []byte("e"), AppendedAt: time.Unix(5, 0)}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, value []byte) {
		var log raft.Log
		if decode(7, value, &log) == nil && !bytes.Equal(encode(&log), value) {
			t.Error("an entry that was read is written back differently")
		}
	})
}
