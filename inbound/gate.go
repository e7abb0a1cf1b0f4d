// Package inbound bounds what callers may take of this machine at once: how many connections one address has open at a port, and how many
// there are of all. Public ports, the coordinators' port and gossip are held to it alike.
package inbound

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrEach marks a caller who has as much under way as one may have.
	ErrEach = errors.New("this caller has as much under way as one caller may have")
	// ErrAll marks a gate that lets nobody in until somebody leaves.
	ErrAll = errors.New("there is as much under way as there may be")
)

// Gate counts what callers have under way: connections, sockets, streams. What a caller is, its users decide; a caller who has
// nothing under way costs nothing. It may be used by many goroutines at once. A nil Gate lets everybody in.
type Gate struct {
	each, all int
	refused   atomic.Uint64

	mu   sync.Mutex
	open int
	by   map[string]int
}

// NewGate makes a gate that lets each caller have so much under way, and all of them together; 0 sets no bound.
func NewGate(each, all int) *Gate { return &Gate{each: each, all: all, by: map[string]int{}} }

// Enter lets a caller in, who calls leave once at the end, or gives ErrEach or ErrAll.
func (g *Gate) Enter(caller string) (leave func(), err error) {
	if err := g.Take(caller, 1); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { g.Give(caller, 1) }), nil
}

// Take counts n more of a caller's, such as bytes that are kept for it, or gives ErrEach or ErrAll.
func (g *Gate) Take(caller string, n int) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.each > 0 && g.by[caller]+n > g.each:
		g.refused.Add(1)
		return ErrEach
	case g.all > 0 && g.open+n > g.all:
		g.refused.Add(1)
		return ErrAll
	}
	g.open += n
	g.by[caller] += n
	return nil
}

// Give gives back what was taken.
func (g *Gate) Give(caller string, n int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open -= n
	if g.by[caller] -= n; g.by[caller] == 0 {
		delete(g.by, caller)
	}
}

// Open is how much is under way.
func (g *Gate) Open() int {
	if g == nil {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// Refused is how many were not let in so far.
func (g *Gate) Refused() uint64 {
	if g == nil {
		return 0
	}
	return g.refused.Load()
}

// Each is how much one caller may have under way, 0 for no bound.
func (g *Gate) Each() int {
	if g == nil {
		return 0
	}
	return g.each
}
