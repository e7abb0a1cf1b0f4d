package raftstore

import (
	"context"
	"errors"

	"github.com/hashicorp/raft"
)

// Led is a time in which this node leads the farm and has all that was acknowledged before, as far as it knows. What a request
// reads meanwhile is proved fresh by what follows: by a command that this node itself brings into the log in that time, or by
// LedStill. So a request that writes does not have to ask the other nodes first, as Fresh does.
type Led struct{ term uint64 }

// ErrLedNoMore marks a command that was not accepted, since the term it was bound to is over: what its request has read may be old.
var ErrLedNoMore = errors.New("this node does not lead the farm any more")

// Led is nil where a request has to begin with Fresh.
func (s *Store) Led() *Led {
	term := s.raft.CurrentTerm()
	if s.raft.State() != raft.Leader || s.caughtUp.Load() != term || s.alone() { // the last costs the most
		return nil
	}
	return &Led{term}
}

// LedStill is nil when nothing was acknowledged elsewhere since led began.
func (s *Store) LedStill(ctx context.Context, led *Led) error {
	if err := s.Fresh(ctx); err != nil {
		return err
	}
	if !s.in(led) {
		return ErrLedNoMore
	}
	return nil
}

func (s *Store) in(led *Led) bool {
	return s.raft.State() == raft.Leader && s.raft.CurrentTerm() == led.term
}

type ledKey struct{}

// WithLed binds the commands of a request to the time in which it has read: they are ErrLedNoMore when it is over, where others
// would be handed to the next leader.
func WithLed(ctx context.Context, led *Led) context.Context {
	return context.WithValue(ctx, ledKey{}, led)
}

// InThisTerm binds the commands of a context to the term in which this node leads now. CodeUnavailable says that it does not lead.
func (s *Store) InThisTerm(ctx context.Context) (context.Context, error) {
	led := &Led{s.raft.CurrentTerm()}
	if !s.in(led) {
		return nil, s.explain(raft.ErrNotLeader)
	}
	return WithLed(ctx, led), nil
}

// over says whether the commands of ctx are bound to a time that has ended.
func (s *Store) over(ctx context.Context) bool {
	led, bound := ctx.Value(ledKey{}).(*Led)
	return bound && !s.in(led)
}
