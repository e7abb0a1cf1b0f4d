package raftstore

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"overcrank/raftstore/command"
)

// expected are the commands that this node has proposed and that its own state does not have yet. Each is answered when this node applies it, on
// whichever node the leader is. So when a leader is lost, the node knows whether a command was applied as soon as its state has everything that the
// next leader began with.
type expected struct {
	seed    maphash.Seed
	pending atomic.Int64

	mu  sync.Mutex
	who map[uint64][]*expectation // by the hash of the entry, in the order in which they began to wait
}

// expectation is one command that is waited for.
type expectation struct {
	hash   uint64
	answer chan command.Result // buffered for the one result
}

func newExpected() *expected {
	return &expected{seed: maphash.MakeSeed(), who: map[uint64][]*expectation{}}
}

// begin waits for an entry from now on, until forget.
func (e *expected) begin(entry []byte) *expectation {
	x := &expectation{hash: maphash.Bytes(e.seed, entry), answer: make(chan command.Result, 1)}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.who[x.hash] = append(e.who[x.hash], x)
	e.pending.Add(1)
	return x
}

// forget ends the wait.
func (e *expected) forget(x *expectation) {
	e.mu.Lock()
	defer e.mu.Unlock()
	rest := e.who[x.hash]
	for i := range rest {
		if rest[i] == x {
			e.drop(x.hash, i)
			return
		}
	}
}

func (e *expected) drop(hash uint64, i int) {
	rest := e.who[hash]
	rest = append(rest[:i:i], rest[i+1:]...)
	if len(rest) == 0 {
		delete(e.who, hash)
	} else {
		e.who[hash] = rest
	}
	e.pending.Add(-1)
}

// applied answers whoever waits for an entry. It costs nothing while nobody does.
func (e *expected) applied(entry []byte, result command.Result) {
	if e.pending.Load() == 0 {
		return
	}
	hash := maphash.Bytes(e.seed, entry)
	e.mu.Lock()
	defer e.mu.Unlock()
	if rest := e.who[hash]; len(rest) > 0 {
		rest[0].answer <- result
		e.drop(hash, 0)
	}
}
