package seglog

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/raft"

	"overcrank/durable"
)

// DeleteRange deletes the entries from first to last, both included: the oldest, the newest, or all. Wherever it is interrupted
// the log has no gap. Of the oldest, some stay on the disk until their file can go as a whole, and count again after a restart.
func (l *Log) DeleteRange(first, last uint64) error {
	if err := l.deleteRange(first, last); err != nil {
		return fmt.Errorf("delete entries %d to %d of the Raft log: %w", first, last, err)
	}
	return nil
}

func (l *Log) deleteRange(first, last uint64) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	oldest, newest := l.oldest, l.lastLocked()
	switch {
	case newest == 0 || first > newest || last < oldest || first > last:
		return nil
	case first <= oldest && last >= newest:
		return l.forget(len(l.segments))
	case first <= oldest:
		return l.deleteOldest(last)
	case last >= newest:
		return l.deleteNewest(first)
	default:
		return errors.New("entries on both sides would stay")
	}
}

// deleteOldest deletes the entries up to last.
func (l *Log) deleteOldest(last uint64) error {
	l.mu.Lock()
	l.oldest = last + 1
	l.mu.Unlock()
	for len(l.segments) > 1 && l.segments[0].next() <= l.oldest {
		if err := l.remove(0); err != nil {
			return err
		}
		l.writing.Unlock() // between two of them entries may be stored
		l.writing.Lock()
	}
	return nil
}

// deleteNewest deletes the entries from first on.
func (l *Log) deleteNewest(first uint64) error {
	for l.segments[len(l.segments)-1].first >= first {
		if err := l.remove(len(l.segments) - 1); err != nil {
			return err
		}
	}
	s := l.segments[len(l.segments)-1]
	if s.next() <= first {
		return nil
	}
	// The file is replaced: cutting it would leave the header of a group that had more entries.
	kept := make([]*raft.Log, 0, first-s.first)
	for index := s.first; index < first; index++ {
		log := new(raft.Log)
		stored, err := s.read(index)
		if err == nil {
			err = DecodeEntry(index, stored, log)
		}
		if err != nil {
			return err
		}
		kept = append(kept, log)
	}
	content, err := appendGroup(s.append(nil), s.salt, kept)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// Windows replaces no file that is open.
	if err := s.file.Close(); err != nil {
		return err
	}
	err = durable.Write(s.path, 0o600, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	replaced, failed := l.open(s.first, true)
	if failed == nil && replaced == nil {
		failed = os.ErrNotExist
	}
	if failed == nil {
		l.segments[len(l.segments)-1] = replaced
	}
	return errors.Join(err, failed)
}
