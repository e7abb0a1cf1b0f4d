package layered

import (
	"bytes"
	"sync"
)

const (
	seenSize = 64 << 10 // bytes of the largest row that is kept
	seenRoom = 4 << 20  // bytes of all, beyond which it begins anew
)

// seen are rows that were read of a file which has not changed since. A place in the file is found in microseconds and through a
// dozen allocations; who calls and with which template is asked by every request.
type seen struct {
	mu   sync.RWMutex
	rows map[int]map[string]*row // by the bucket's place; the value is nil where the file has none
	size int                     // bytes of keys and values
}

func newSeen(places []int) *seen {
	s := &seen{rows: make(map[int]map[string]*row, len(places))}
	for _, place := range places {
		s.rows[place] = map[string]*row{}
	}
	return s
}

// keeps says whether rows of a bucket are kept.
func (s *seen) keeps(place int) bool {
	_, ok := s.rows[place]
	return ok
}

// get is the row under a key; read reads its value from the file.
func (s *seen) get(place int, key string, read func() []byte) *row {
	s.mu.RLock()
	known := s.rows[place][key]
	s.mu.RUnlock()
	if known != nil {
		return known
	}
	value := read()
	size := rowCost + len(key) + len(value)
	if size > seenSize {
		return &row{value: value}
	}
	found := &row{value: bytes.Clone(value)} // which outlives the reading
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size += size; s.size > seenRoom {
		for _, rows := range s.rows {
			clear(rows)
		}
		s.size = size
	}
	s.rows[place][key] = found
	return found
}
