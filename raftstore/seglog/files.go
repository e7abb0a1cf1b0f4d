package seglog

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overcrank/raftstore/boltfile"
)

// suffix is what names of segments end with; before it stands the index of the first entry in twenty digits.
const suffix = ".log"

func (l *Log) path(first uint64) string {
	return filepath.Join(l.config.Folder, fmt.Sprintf("%020d%s", first, suffix))
}

// Open opens the log in a folder, looks through all of it, and cuts off what the last append had not finished.
func Open(config Config) (_ *Log, err error) {
	l := &Log{config: config.withDefaults()}
	if err := os.MkdirAll(config.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the Raft log: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open the Raft log in %s: %w", config.Folder, err), l.Close())
		}
	}()
	indexes, err := l.list()
	if err != nil {
		return nil, err
	}
	for i, first := range indexes {
		s, err := l.open(first, i == len(indexes)-1)
		if err != nil {
			return nil, err
		}
		if s != nil {
			l.segments = append(l.segments, s)
		}
	}
	return l, l.tidy()
}

// list gives the first indexes of the segments in the folder.
func (l *Log) list() (indexes []uint64, err error) {
	files, err := os.ReadDir(l.config.Folder)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		digits, ours := strings.CutSuffix(file.Name(), suffix)
		if first, err := strconv.ParseUint(digits, 10, 64); ours && err == nil && len(digits) == 20 {
			indexes = append(indexes, first)
		}
	}
	slices.Sort(indexes)
	return indexes, nil
}

// open opens a segment. The last one may have been in the making when the process or the machine stopped: nil when nothing
// was stored in it.
func (l *Log) open(first uint64, last bool) (_ *segment, err error) {
	path := l.path(first)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	found, err := scan(content)
	if last && errors.Is(err, errHeader) && len(content) <= segmentHeader {
		return nil, errors.Join(os.Remove(path), l.syncFolder())
	}
	if err == nil && found.first != first {
		err = fmt.Errorf("it is the file of entry %d", found.first)
	}
	if err == nil && found.torn && !last {
		err = fmt.Errorf("entry %d of the Raft log is damaged", found.next())
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; "+boltfile.WayOut, path, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	s := &segment{held: found, path: path, file: file}
	if found.torn {
		if err := errors.Join(file.Truncate(found.end), file.Sync()); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return s, nil
}

// tidy finishes what was interrupted: it removes segments without entries, and those before one that begins the log anew. What
// is left must be without gaps.
func (l *Log) tidy() error {
	for i := len(l.segments) - 1; i > 0; i-- {
		if l.segments[i].anew {
			if err := l.forget(i); err != nil {
				return err
			}
			break
		}
	}
	for i := len(l.segments) - 1; i >= 0 && len(l.segments[i].places) == 0; i-- {
		if err := l.remove(i); err != nil {
			return err
		}
	}
	for i, s := range l.segments {
		if i == 0 {
			l.oldest = s.first
		} else if next := l.segments[i-1].next(); next != s.first {
			return fmt.Errorf("entries %d to %d of the Raft log are missing: a file was removed; "+boltfile.WayOut,
				next, s.first-1)
		}
	}
	return nil
}

// begin makes the file of a new segment. It is no part of the log yet.
func (l *Log) begin(head header) (*segment, error) {
	var salt [4]byte
	if _, err := rand.Read(salt[:]); err != nil {
		return nil, fmt.Errorf("make a salt: %w", err)
	}
	head.salt = binary.BigEndian.Uint32(salt[:])
	s := &segment{held: held{header: head, end: segmentHeader}, path: l.path(head.first)}
	var err error
	if s.file, err = os.OpenFile(s.path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	if _, err = s.file.Write(head.append(nil)); err == nil {
		err = errors.Join(l.config.Sync(s.file), l.syncFolder())
	}
	if err != nil {
		return nil, errors.Join(err, s.file.Close(), os.Remove(s.path))
	}
	return s, nil
}

// remove removes a segment, which must be the first or the last: whenever this is interrupted, what is left has no gap.
func (l *Log) remove(i int) error {
	l.mu.Lock()
	s := l.segments[i]
	l.segments = slices.Delete(l.segments, i, i+1)
	switch {
	case len(l.segments) == 0:
		l.oldest = 0
	case l.oldest > 0:
		l.oldest = max(l.oldest, l.segments[0].first)
	}
	l.mu.Unlock()
	return errors.Join(s.file.Close(), os.Remove(s.path), l.syncFolder())
}

// forget removes that many segments, the oldest first.
func (l *Log) forget(segments int) error {
	for range segments {
		if err := l.remove(0); err != nil {
			return err
		}
	}
	return nil
}
