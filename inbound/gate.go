// Package inbound limits what callers may use at once: how many connections one address may have open at a port, and how many all
// addresses together. It serves public ports, the port of the coordinators and gossip alike.
package inbound

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	// ErrCallerLimit means that this caller has reached the limit of one caller.
	ErrCallerLimit = errors.New("the limit of one caller is reached")
	// ErrTotalLimit means that all callers together have reached the limit.
	ErrTotalLimit = errors.New("the limit of all callers together is reached")
)

// Gate is a semaphore with a limit for each caller and one for all: of connections, streams or bytes. A caller is any string that its
// user counts by, such as an address or a token; callers that hold nothing take no memory. It is safe for concurrent use. A nil Gate has
// no limits.
type Gate struct {
	perCaller, total int
	refused          atomic.Uint64

	mu       sync.Mutex
	open     int
	byCaller map[string]int
}

// NewGate makes a gate with a limit for each caller and one for all together; 0 is no limit.
func NewGate(perCaller, total int) *Gate {
	return &Gate{perCaller: perCaller, total: total, byCaller: map[string]int{}}
}

// Enter takes one for a caller, which is given back by calling leave. The error is ErrCallerLimit or ErrTotalLimit.
func (g *Gate) Enter(caller string) (leave func(), err error) {
	if err := g.Take(caller, 1); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { g.Give(caller, 1) }), nil
}

// Take takes n for a caller, such as bytes that are held for it. The error is ErrCallerLimit or ErrTotalLimit.
func (g *Gate) Take(caller string, n int) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.perCaller > 0 && g.byCaller[caller]+n > g.perCaller:
		g.refused.Add(1)
		return ErrCallerLimit
	case g.total > 0 && g.open+n > g.total:
		g.refused.Add(1)
		return ErrTotalLimit
	}
	g.open += n
	g.byCaller[caller] += n
	return nil
}

// Give gives back n that Take took.
func (g *Gate) Give(caller string, n int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open -= n
	if g.byCaller[caller] -= n; g.byCaller[caller] == 0 {
		delete(g.byCaller, caller)
	}
}

// Open is how much all callers hold.
func (g *Gate) Open() int {
	if g == nil {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// Refused is how often Enter and Take have failed so far.
func (g *Gate) Refused() uint64 {
	if g == nil {
		return 0
	}
	return g.refused.Load()
}

// PerCaller is the limit of one caller, 0 for none.
func (g *Gate) PerCaller() int {
	if g == nil {
		return 0
	}
	return g.perCaller
}
