package raftstore

import (
	"encoding/hex"
	"sort"
	"sync"
)

// trailLength is how many indexes back a node can tell its fingerprint. Nodes that keep up are a few entries apart.
const trailLength = 1024

// trail remembers the fingerprints of the newest indexes, so that nodes can be compared at an index that all of them have
// reached, while they go on. It is safe for concurrent use.
type trail struct {
	mu    sync.Mutex
	steps []step // a ring once it is full
	next  int    // where the next one goes; the oldest is there once the ring is full
}

// step is the fingerprint of the state from an index on, until the next step's.
type step struct {
	index       uint64
	fingerprint string // raw bytes
}

// begin forgets everything but the state as it is.
func (t *trail) begin(index uint64, fingerprint []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps, t.next = append(t.steps[:0], step{index, string(fingerprint)}), 0
}

// add notes the state after some entries, in the order of their indexes.
func (t *trail) add(steps []step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range steps {
		if len(t.steps) < trailLength {
			t.steps = append(t.steps, s)
			continue
		}
		t.steps[t.next] = s
		t.next = (t.next + 1) % trailLength
	}
}

// at is the fingerprint of the state at an index, false when that is too long ago or yet to come.
func (t *trail) at(index uint64) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.steps)
	nth := func(i int) step { return t.steps[(t.next+i)%n] }
	after := sort.Search(n, func(i int) bool { return nth(i).index > index })
	if after == 0 || nth(n-1).index < index {
		return "", false
	}
	return hex.EncodeToString([]byte(nth(after - 1).fingerprint)), true
}

// FingerprintAt is what Fingerprint gave when the state had just the commands up to index; false when that is too long ago, or
// has not come yet. Only indexes of commands count, as Progress.State and Fingerprint give them.
func (s *Store) FingerprintAt(index uint64) (fingerprint string, known bool) {
	return s.machine.trail.at(index)
}
