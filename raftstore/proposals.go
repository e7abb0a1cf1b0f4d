package raftstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// takenKept is how long the leader remembers a proposal: longer than its sender tries again, and than a cut connection may deliver late.
const takenKept = 2 * time.Minute

// taken are the proposals of other nodes that this node, as leader, has accepted of late. A node that lost its leader for a moment proposes the same
// again, and both may arrive: the second gets the outcome of the first. When the outcome of the first was still open as this node lost the lead, a
// proposal of a later term is carried out: its sender has made sure, in that term, that the entry is in no log.
type taken struct {
	mu    sync.Mutex
	known map[string]*taking
	order []*taking // as they came
}

type taking struct {
	id    string
	term  uint64 // in which it was asked for
	at    time.Time
	done  chan struct{}
	index uint64
	err   error
}

// once does what a proposal asks in a term, unless that was done or is under way: then it waits for what comes of that.
func (t *taken) once(ctx context.Context, term uint64, id string, now time.Time, do func() (uint64, error)) (uint64, error) {
	for {
		mine, before := t.begin(term, id, now)
		if before == nil {
			defer close(mine.done)
			mine.index, mine.err = do()
			return mine.index, mine.err
		}
		select {
		case <-before.done:
		case <-ctx.Done():
			return 0, fmt.Errorf("wait for a command that was sent twice: %w", context.Cause(ctx))
		}
		if !before.open(term) {
			return before.index, before.err
		}
	}
}

// begin notes a proposal that is to be done, or gives the one before that is under way or settles it.
func (t *taken) begin(term uint64, id string, now time.Time) (mine, before *taking) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget(now)
	if t.known == nil {
		t.known = map[string]*taking{}
	}
	if before := t.known[id]; before != nil {
		select {
		case <-before.done:
			if !before.open(term) {
				return nil, before
			}
		default:
			return nil, before
		}
	}
	mine = &taking{id: id, term: term, at: now, done: make(chan struct{})}
	t.known[id] = mine
	t.order = append(t.order, mine)
	return mine, nil
}

// open says whether what is done does not settle a proposal in a term.
func (t *taking) open(term uint64) bool {
	return errors.Is(t.err, ErrNotTaken) || t.err != nil && term > t.term
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
