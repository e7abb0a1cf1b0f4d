package raftstore

import (
	"fmt"
	"sync"
	"time"
)

// Breaches say how often this node has met a command that would have broken the state, since it started. Like everything about the state
// that is the same on all nodes.
type Breaches struct {
	Count int
	Last  string // what the last one was; "" for none
	At    time.Time
}

type breachLog struct {
	mu    sync.Mutex
	known Breaches
}

func (l *breachLog) add(index uint64, what error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known.Count++
	l.known.Last, l.known.At = fmt.Sprintf("change %d: %v", index, what), time.Now()
}

// Breaches are those that this node has met.
func (s *Store) Breaches() Breaches {
	log := &s.machine.breaches
	log.mu.Lock()
	defer log.mu.Unlock()
	return log.known
}
