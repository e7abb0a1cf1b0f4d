package seglog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/raft"

	"overcrank/faults/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// smallSegments is a log whose files are followed by the next after a few entries.
func smallSegments(folder string) Config { return Config{Folder: folder, SegmentSize: 4000} }

func open(t testing.TB, config Config) *Log {
	t.Helper()
	l, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func reopen(t testing.TB, l *Log) *Log {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, l.config)
}

func entries(term, first, last uint64) (logs []*raft.Log) {
	for i := first; i <= last; i++ {
		logs = append(logs, &raft.Log{Index: i, Term: term, Data: bytes.Repeat([]byte{byte(i)}, 300+int(i%7))})
	}
	return logs
}

// fill stores entries in groups of three.
func fill(t testing.TB, l *Log, first, last uint64) {
	t.Helper()
	for group := range slices.Chunk(entries(3, first, last), 3) {
		if err := l.StoreLogs(group); err != nil {
			t.Fatal(err)
		}
	}
}

// wantEntries checks that the log holds exactly those from first to last, 0 and 0 for none.
func wantEntries(t testing.TB, l *Log, first, last uint64) {
	t.Helper()
	gotFirst, _ := l.FirstIndex()
	gotLast, _ := l.LastIndex()
	if gotFirst != first || gotLast != last {
		t.Fatalf("the log holds %d to %d, want %d to %d", gotFirst, gotLast, first, last)
	}
	for i := max(first, 1) - 1; i <= last+1; i++ {
		var got raft.Log
		err := l.GetLog(i, &got)
		if i < first || i > last || last == 0 {
			if !errors.Is(err, raft.ErrLogNotFound) {
				t.Fatalf("entry %d, which is not there, answers %v", i, err)
			}
		} else if want := entries(got.Term, i, i)[0]; err != nil || got.Index != i || !bytes.Equal(got.Data, want.Data) {
			t.Fatalf("entry %d came back as %d of term %d, %v", i, got.Index, got.Term, err)
		}
	}
}

func TestEntriesComeBackWhole(t *testing.T) {
	l := open(t, Config{Folder: t.TempDir()})
	wantEntries(t, l, 0, 0)
	at := time.Date(2026, 3, 4, 5, 6, 7, 89, time.UTC)
	stored := []*raft.Log{
		{Index: 1, Term: 1, Type: raft.LogConfiguration, Data: []byte("peers"), AppendedAt: at},
		{Index: 2, Term: 9, Type: raft.LogCommand, Data: bytes.Repeat([]byte("x"), 100_000), Extensions: []byte("ext")},
		{Index: 3, Term: 9, Type: raft.LogNoop},
	}
	if err := l.StoreLogs(stored); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, want := range stored {
			var got raft.Log
			if err := l.GetLog(want.Index, &got); err != nil {
				t.Fatal(err)
			}
			if got.Index != want.Index || got.Term != want.Term || got.Type != want.Type || !bytes.Equal(got.Data, want.Data) ||
				!bytes.Equal(got.Extensions, want.Extensions) || !got.AppendedAt.Equal(want.AppendedAt) {
				t.Errorf("entry %d came back as %+v", want.Index, got)
			}
		}
		l = reopen(t, l)
	}
}

func TestLogGoesOnAcrossFilesAndStarts(t *testing.T) {
	l := open(t, smallSegments(t.TempDir()))
	for last := uint64(0); last < 200; last += 40 {
		fill(t, l, last+1, last+40)
		wantEntries(t, l, 1, last+40)
		l = reopen(t, l)
		wantEntries(t, l, 1, last+40)
	}
	if names, _ := os.ReadDir(l.config.Folder); len(names) < 5 {
		t.Errorf("all lies in %d files", len(names))
	}
}

func TestDeleteRange(t *testing.T) {
	for name, tc := range map[string]struct{ min, max, first, last uint64 }{
		"the front":       {1, 40, 41, 100},
		"the tail":        {61, 100, 1, 60},
		"a short tail":    {100, 100, 1, 99},
		"a long tail":     {2, 100, 1, 1},
		"all":             {1, 100, 0, 0},
		"more than all":   {0, 1 << 40, 0, 0},
		"nothing of it":   {200, 300, 1, 100},
		"one":             {1, 1, 2, 100},
		"all but the end": {1, 99, 100, 100},
	} {
		t.Run(name, func(t *testing.T) {
			l := open(t, smallSegments(t.TempDir()))
			fill(t, l, 1, 100)
			if err := l.DeleteRange(tc.min, tc.max); err != nil {
				t.Fatal(err)
			}
			wantEntries(t, l, tc.first, tc.last)
			l = reopen(t, l)
			first, _ := l.FirstIndex()
			if last, _ := l.LastIndex(); last != tc.last || first > tc.first || first == 0 != (tc.last == 0) {
				t.Errorf("started again, the log holds %d to %d", first, last)
			}
			next := tc.last + 1
			if tc.last == 0 {
				first, next = 500, 500
			}
			fill(t, l, next, next+20)
			wantEntries(t, l, first, next+20)
		})
	}
}

func TestFilesOfDeletedEntriesGo(t *testing.T) {
	l := open(t, smallSegments(t.TempDir()))
	fill(t, l, 1, 300)
	before := l.Size()
	if err := l.DeleteRange(1, 290); err != nil {
		t.Fatal(err)
	}
	if names, _ := os.ReadDir(l.config.Folder); len(names) > 2 || l.Size() > before/4 {
		t.Errorf("%d files stay, with %d of %d bytes", len(names), l.Size(), before)
	}
}

func TestEntriesInTheMiddleCannotBeDeleted(t *testing.T) {
	l := open(t, smallSegments(t.TempDir()))
	fill(t, l, 1, 30)
	if err := l.DeleteRange(10, 20); err == nil {
		t.Error("a log with a gap was made")
	}
	wantEntries(t, l, 1, 30)
}

func TestDeleteRangeOfAnEmptyLog(t *testing.T) {
	l := open(t, Config{Folder: t.TempDir()})
	if err := l.DeleteRange(1, 10); err != nil {
		t.Fatal(err)
	}
	fill(t, l, 11, 12)
	wantEntries(t, l, 11, 12)
}

func TestReplacedTailDoesNotComeBack(t *testing.T) {
	l := open(t, smallSegments(t.TempDir()))
	fill(t, l, 1, 50)
	if err := l.DeleteRange(21, 50); err != nil {
		t.Fatal(err)
	}
	if err := l.StoreLogs(entries(4, 21, 23)); err != nil {
		t.Fatal(err)
	}
	l = reopen(t, l)
	wantEntries(t, l, 1, 23)
	var log raft.Log
	if err := l.GetLog(21, &log); err != nil || log.Term != 4 {
		t.Errorf("entry 21 is of term %d, %v", log.Term, err)
	}
}

func TestEntriesBehindAGapBeginTheLogAnew(t *testing.T) {
	l := open(t, smallSegments(t.TempDir()))
	fill(t, l, 1, 50)
	fill(t, l, 90, 95)
	wantEntries(t, l, 90, 95)
	wantEntries(t, reopen(t, l), 90, 95)
}

func TestABeginningAnewThatWasInterruptedIsFinished(t *testing.T) {
	folder := t.TempDir()
	l := open(t, smallSegments(folder))
	fill(t, l, 1, 50)
	old := copyOf(t, folder)
	fill(t, l, 90, 95)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(old, os.DirFS(folder)); err != nil { // as if the files of before had not been removed yet
		t.Fatal(err)
	}
	wantEntries(t, open(t, smallSegments(old)), 90, 95)
}

func copyOf(t testing.TB, folder string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	return to
}

func TestStoredEntriesAreNeverReplaced(t *testing.T) {
	l := open(t, Config{Folder: t.TempDir()})
	fill(t, l, 5, 9)
	for name, logs := range map[string][]*raft.Log{
		"again":   entries(4, 9, 9),
		"earlier": entries(4, 4, 4),
		"uneven":  append(entries(4, 10, 10), entries(4, 12, 12)...),
		"index 0": entries(4, 0, 0),
	} {
		if err := l.StoreLogs(logs); err == nil {
			t.Errorf("%s: stored", name)
		}
	}
	wantEntries(t, l, 5, 9)
}

// TestFailedAppendsLeaveNothing lets appends fail at their end or in their middle.
func TestFailedAppendsLeaveNothing(t *testing.T) {
	fail, full := false, errors.New("no space left")
	config := smallSegments(t.TempDir())
	config.Sync = func(file *os.File) error {
		if fail {
			return full
		}
		return file.Sync()
	}
	l := open(t, config)
	for next := uint64(1); next < 60; next += 3 {
		fail = true
		if err := l.StoreLogs(entries(7, next, next+4)); !errors.Is(err, full) {
			t.Fatalf("a disk that fails answers %v", err)
		}
		fail = false
		fill(t, l, next, next+2)
		wantEntries(t, l, 1, next+2)
	}
	l = reopen(t, l)
	wantEntries(t, l, 1, 60)
	var log raft.Log
	for i := uint64(1); i <= 60; i++ {
		if err := l.GetLog(i, &log); err != nil || log.Term != 3 {
			t.Fatalf("entry %d is of term %d, %v", i, log.Term, err)
		}
	}
}

func TestReadersBesideAppends(t *testing.T) {
	l := open(t, smallSegments(t.TempDir()))
	fill(t, l, 1, 10)
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			last, _ := l.LastIndex()
			if last >= 400 {
				break
			}
			var log raft.Log
			if err = l.GetLog(last, &log); err == nil && log.Index != last {
				err = fmt.Errorf("entry %d was read as %d", last, log.Index)
			}
		}
		done <- err
	}()
	for i := uint64(11); i <= 400; i++ {
		if err := l.StoreLog(entries(3, i, i)[0]); err != nil {
			t.Fatal(err)
		}
		if i%50 == 0 {
			if err := l.DeleteRange(1, i-20); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatAreGoneAreMissed(t *testing.T) {
	folder := t.TempDir()
	l := open(t, smallSegments(folder))
	fill(t, l, 1, 100)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(folder, "*"+suffix))
	if err := os.Remove(names[2]); err != nil {
		t.Fatal(err)
	}
	if l, err := Open(smallSegments(folder)); err == nil {
		l.Close()
		t.Fatal("a log with a gap was opened")
	} else if !strings.Contains(err.Error(), "are missing") || !strings.Contains(err.Error(), "backup") {
		t.Errorf("the error does not say what is wrong and what to do: %v", err)
	}
}
