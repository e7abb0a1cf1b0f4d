package web

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// tallLog is a log of 100 MB without holding it: lines of one length, of which one holds what is searched for. It counts what is read of it.
type tallLog struct {
	at, size, needle int64
	read             int64
}

const (
	tallLine   = "PROGRESS:  0:00:04:12 (113): 2 Seconds, of the autumn spot in its fourth take at the full size\n"
	tallNeedle = "WARNING: the font Söhne is not there and is replaced"
)

func (l *tallLog) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		return 0, errors.ErrUnsupported
	}
	l.at = offset
	return l.at, nil
}

func (l *tallLog) Read(p []byte) (n int, err error) {
	if l.at >= l.size {
		return 0, io.EOF
	}
	for n < len(p) && l.at < l.size {
		line := tallLine
		if l.at/int64(len(tallLine)) == l.needle {
			line = tallNeedle + strings.Repeat(".", len(tallLine)-len(tallNeedle)-1) + "\n"
		}
		got := copy(p[n:min(int64(len(p)), int64(n)+l.size-l.at)], line[l.at%int64(len(tallLine)):])
		n, l.at = n+got, l.at+int64(got)
	}
	l.read += int64(n)
	return n, nil
}

// TestAStretchOfALongLogCostsWhatAStretchDoes searches a log of 100 MB to its end, and reads parts of it, with all that each request takes of memory.
func TestAStretchOfALongLogCostsWhatAStretchDoes(t *testing.T) {
	const lines = 100 << 20 / int64(len(tallLine))
	log := &tallLog{size: lines * int64(len(tallLine)), needle: lines - 5}
	// costs asks once, and holds that to what it may read and allocate.
	costs := func(what string, read int64, memory uint64, ask func() error) {
		t.Helper()
		var before, after runtime.MemStats
		log.read = 0
		runtime.ReadMemStats(&before)
		err := ask()
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; log.read > read || took > memory {
			t.Errorf("%s reads %d bytes and takes %d of memory, want at most %d and %d", what, log.read, took, read, memory)
		}
	}
	var hits []logLine
	from, requests := int64(0), 0
	for more := true; more; requests++ {
		costs("searching for one line", searchedAtOnce+logWindow, 1<<20, func() error {
			found, err := searchLines(t.Context(), log, log.size, from, "söhne")
			hits, from, more = append(hits, found.Hits...), found.Next, found.More
			return err
		})
	}
	if len(hits) != 1 || hits[0].At != log.needle*int64(len(tallLine)) || hits[0].Class != "warn" || requests != 13 {
		t.Errorf("found %+v in %d requests", hits, requests)
	}
	costs("searching for what each line holds", logWindow, 1<<20, func() error {
		found, err := searchLines(t.Context(), log, log.size, log.size/2, "autumn spot")
		if len(found.Hits) != hitsAtOnce || !found.More {
			t.Errorf("found %d lines at once, more: %t", len(found.Hits), found.More)
		}
		return err
	})
	costs("reading a part", partSize+longestLine, 1<<20, func() error {
		begin, err := lineBegin(log, log.size/2)
		if err != nil {
			return err
		}
		part, _, err := linesAt(log, begin, partSize)
		if len(part) == 0 || part[0].Text+"\n" != tallLine {
			t.Errorf("the part begins with %+v", part[:min(1, len(part))])
		}
		return err
	})
}
