package raftstore

import (
	"encoding/hex"
	"sort"
	"sync"
)

// trailLength is how many indexes back a node can tell its fingerprint. Nodes that keep up are a few entries apart.
const trailLength = 1024

// Of every markEvery-th index the fingerprint is remembered for longer, so that nodes that are a second apart under full load
// have one in common: a quarter of a million indexes.
const (
	markEvery = 256
	markCount = 1024
)

// trail remembers the fingerprints of the newest indexes, so that nodes can be compared at an index that all of them have
// reached, while they go on. It is safe for concurrent use.
type trail struct {
	mu    sync.Mutex
	steps []step          // a ring once it is full
	next  int             // where the next one goes; the oldest is there once the ring is full
	marks [markCount]step // by the index divided by markEvery; of index 0 for none
	mark  uint64          // index of the newest
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
	t.marks, t.mark = [markCount]step{}, 0
}

// add notes the state after some entries, in the order of their indexes.
func (t *trail) add(steps []step) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range steps {
		t.markBefore(s.index)
		if len(t.steps) < trailLength {
			t.steps = append(t.steps, s)
			continue
		}
		t.steps[t.next] = s
		t.next = (t.next + 1) % trailLength
	}
}

// markBefore notes the fingerprint at the newest mark that an index leaves behind.
func (t *trail) markBefore(index uint64) {
	mark := (index - 1) / markEvery * markEvery
	if mark <= t.mark || len(t.steps) == 0 {
		return
	}
	last := t.steps[(t.next+len(t.steps)-1)%len(t.steps)]
	if last.index > mark {
		return // it began behind the mark, or has it
	}
	t.marks[mark/markEvery%markCount], t.mark = step{mark, last.fingerprint}, mark
}

// at is the fingerprint of the state at an index, false when that is too long ago or yet to come.
func (t *trail) at(index uint64) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mark := t.marks[index/markEvery%markCount]; index > 0 && mark.index == index {
		return hex.EncodeToString([]byte(mark.fingerprint)), true
	}
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

// Mark is an index of late, and the fingerprint there, that every other node remembers for long: nodes under load, which are never
// at one index at once, are compared there. The index is 0 while this node has none.
func (s *Store) Mark() (index uint64, fingerprint string) {
	t := &s.machine.trail
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mark == 0 {
		return 0, ""
	}
	return t.mark, hex.EncodeToString([]byte(t.marks[t.mark/markEvery%markCount].fingerprint))
}
