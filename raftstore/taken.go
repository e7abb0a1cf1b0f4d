package raftstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// takenKept is how long the leader remembers a proposal: longer than its sender tries, and than a connection that was cut
// delivers late what was sent before.
const takenKept = 2 * time.Minute

// taken are the proposals of other nodes that this node, as leader, has taken up lately. A node that lost its leader for a moment
// proposes again what it had sent, and both may arrive.
type taken struct {
	mu    sync.Mutex
	known map[string]*taking
	order []*taking // as they came
}

type taking struct {
	id    string
	at    time.Time
	done  chan struct{}
	index uint64
	err   error
}

// once does what a proposal asks, unless that was done or is under way: then it waits for what comes of that.
func (t *taken) once(ctx context.Context, id string, now time.Time, do func() (uint64, error)) (uint64, error) {
	t.mu.Lock()
	t.forget(now)
	if t.known == nil {
		t.known = map[string]*taking{}
	}
	if before := t.known[id]; before != nil && !before.undone() {
		t.mu.Unlock()
		select {
		case <-before.done:
			return before.index, before.err
		case <-ctx.Done():
			return 0, fmt.Errorf("wait for a command that was sent twice: %w", context.Cause(ctx))
		}
	}
	mine := &taking{id: id, at: now, done: make(chan struct{})}
	t.known[id] = mine
	t.order = append(t.order, mine)
	t.mu.Unlock()
	defer close(mine.done)
	mine.index, mine.err = do()
	return mine.index, mine.err
}

// undone says whether nothing came of it for certain, so that it may be done after all.
func (t *taking) undone() bool {
	select {
	case <-t.done:
		return errors.Is(t.err, ErrNotTaken)
	default:
		return false
	}
}

// forget drops what is old enough.
func (t *taken) forget(now time.Time) {
	old := 0
	for old < len(t.order) && now.Sub(t.order[old].at) > takenKept {
		if id := t.order[old].id; t.known[id] == t.order[old] {
			delete(t.known, id)
		}
		old++
	}
	t.order = t.order[old:]
}

// nextProposal is an id that no other proposal has, of this node or of another, before or after a restart.
func (s *Store) nextProposal() string {
	return s.run + strconv.FormatUint(s.proposals.Add(1), 36)
}
