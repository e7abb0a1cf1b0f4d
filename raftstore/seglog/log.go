// Package seglog keeps Raft's log in files that are only ever appended to. An append is one write and one sync, where a
// database would sync twice and write the pages around its entries again.
package seglog

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/hashicorp/raft"

	"overcrank/durable"
)

// Config says where a log lies.
type Config struct {
	Folder      string               // of its files and of nothing else, made when missing
	SegmentSize int64                // bytes, from which on a file is followed by the next; 0 means 32 MB
	Sync        func(*os.File) error // brings a file's content to the disk; nil means the system's call
}

const defaultSegmentSize = 32 << 20

// Log is a raft.LogStore. It is safe for concurrent use; only one process may have the folder open, which the caller sees to.
type Log struct {
	config Config

	writing sync.Mutex // held while files are written, made or removed
	buffer  []byte     // of the last append

	mu       sync.RWMutex // guards what follows; appends hold it only to say what they have stored
	segments []*segment   // none without entries
	oldest   uint64       // index of the oldest entry, 0 for none: the first segment may begin before it
}

// segment is one open file.
type segment struct {
	held
	path string
	file *os.File
	// unsure is set while there may be something behind the end that was not stored for certain.
	unsure bool
}

// The log says that it has no gaps, so that Raft empties it after installing a snapshot.
var (
	_ raft.LogStore          = (*Log)(nil)
	_ raft.MonotonicLogStore = (*Log)(nil)
)

// Close closes the files.
func (l *Log) Close() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for _, s := range l.segments {
		err = errors.Join(err, s.file.Close())
	}
	l.segments, l.oldest = nil, 0
	return err
}

// Size is how many bytes the log takes on the disk.
func (l *Log) Size() (size int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, s := range l.segments {
		size += s.end
	}
	return size
}

// IsMonotonic is true: the indexes in the log are dense.
func (l *Log) IsMonotonic() bool { return true }

// FirstIndex is the index of the oldest entry, 0 without entries.
func (l *Log) FirstIndex() (uint64, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.oldest, nil
}

// LastIndex is the index of the newest entry, 0 without entries.
func (l *Log) LastIndex() (uint64, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.lastLocked(), nil
}

func (l *Log) lastLocked() uint64 {
	if len(l.segments) == 0 {
		return 0
	}
	return l.segments[len(l.segments)-1].next() - 1
}

// GetLog reads one entry into log; raft.ErrLogNotFound when there is none.
func (l *Log) GetLog(index uint64, log *raft.Log) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.oldest == 0 || index < l.oldest || index > l.lastLocked() {
		return raft.ErrLogNotFound
	}
	s := l.segments[l.segmentLocked(index)]
	stored, err := s.read(index)
	if err != nil {
		return err
	}
	return DecodeEntry(index, stored, log)
}

// segmentLocked is the place of the segment that has an entry of the log.
func (l *Log) segmentLocked(index uint64) int {
	after := len(l.segments)
	for after > 1 && l.segments[after-1].first > index {
		after--
	}
	return after - 1
}

// read gives an entry as it is stored.
func (s *segment) read(index uint64) ([]byte, error) {
	p := s.places[index-s.first]
	stored := make([]byte, p.size)
	if _, err := s.file.ReadAt(stored, p.at); err != nil {
		return nil, fmt.Errorf("read entry %d of the Raft log: %w", index, err)
	}
	return stored, nil
}

// StoreLog adds one entry.
func (l *Log) StoreLog(log *raft.Log) error { return l.StoreLogs([]*raft.Log{log}) }

// StoreLogs adds entries of consecutive indexes; they are on the disk when it returns, and none of them counts after an error.
// Entries that leave a gap behind the last begin the log anew: Raft stores such only when it has all before them in a snapshot.
func (l *Log) StoreLogs(logs []*raft.Log) error {
	if len(logs) == 0 {
		return nil
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.store(logs); err != nil {
		return fmt.Errorf("store entries %d to %d of the Raft log: %w", logs[0].Index, logs[len(logs)-1].Index, err)
	}
	return nil
}

func (l *Log) store(logs []*raft.Log) error {
	first, last := logs[0].Index, l.lastLocked() // whoever writes holds writing, so nothing changes meanwhile
	for i, log := range logs {
		if log.Index != first+uint64(i) {
			return fmt.Errorf("entry %d stands where %d belongs", log.Index, first+uint64(i))
		}
	}
	if first <= last || first == 0 {
		return fmt.Errorf("the log goes to %d already", last)
	}
	if last > 0 {
		s := l.segments[len(l.segments)-1]
		if err := l.settle(s); err != nil {
			return err
		}
		if first == last+1 && s.end < l.config.SegmentSize {
			return l.append(s, logs, func() {})
		}
	}
	s, err := l.begin(header{anew: last > 0 && first > last+1, first: first})
	if err != nil {
		return err
	}
	err = l.append(s, logs, func() {
		if l.segments = append(l.segments, s); l.oldest == 0 {
			l.oldest = first
		}
	})
	if err != nil {
		return errors.Join(err, s.file.Close(), os.Remove(s.path))
	}
	if s.anew {
		return l.forget(len(l.segments) - 1)
	}
	return nil
}

// settle cuts off what an append left that failed.
func (l *Log) settle(s *segment) error {
	if !s.unsure {
		return nil
	}
	if err := errors.Join(s.file.Truncate(s.end), l.config.Sync(s.file)); err != nil {
		return err
	}
	s.unsure = false
	return nil
}

// append stores entries at the end of a segment. stored is called, with mu held, when they are on the disk.
func (l *Log) append(s *segment, logs []*raft.Log, stored func()) (err error) {
	group, err := appendGroup(l.buffer[:0], s.salt, logs)
	if err != nil {
		return err
	}
	if l.buffer = group; cap(group) > keptBuffer {
		l.buffer = nil
	}
	s.unsure = true
	if _, err := s.file.WriteAt(group, s.end); err != nil {
		return err
	}
	if err := l.config.Sync(s.file); err != nil {
		return err
	}
	s.unsure = false
	l.mu.Lock()
	defer l.mu.Unlock()
	s.end += s.take(group)
	stored()
	return nil
}

// keptBuffer is how large a buffer may be that is kept for the next append.
const keptBuffer = 1 << 20

// withDefaults fills in what was left open.
func (c Config) withDefaults() Config {
	c.SegmentSize = cmp.Or(c.SegmentSize, defaultSegmentSize)
	if c.Sync == nil {
		c.Sync = datasync
	}
	return c
}

// syncFolder brings the names of the files to the disk.
func (l *Log) syncFolder() error { return durable.SyncFolder(l.config.Folder) }
