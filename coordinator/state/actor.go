package state

import (
	"context"
	"sync/atomic"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// Asker is who asks for what is done in a context, for the audit log: each command that is committed in it says so by itself.
type Asker struct {
	Token   string // "" for somebody who has not signed in
	Address string // where they ask from
	noted   atomic.Bool
}

type askerInContext struct{}

// WithAsker has commands say who asks for them.
func WithAsker(ctx context.Context, asker *Asker) context.Context {
	return context.WithValue(ctx, askerInContext{}, asker)
}

// Noted says whether a command has said who asks.
func (a *Asker) Noted() bool { return a.noted.Load() }

// actor is who asks for a command, as that says it; nil for the farm itself.
func (s *State) actor(ctx context.Context, cmd command.Command) *farm.Actor {
	asker, _ := ctx.Value(askerInContext{}).(*Asker)
	if asker == nil {
		return nil
	}
	if _, answer := cmd.(command.KeepAnswer); !answer {
		asker.noted.Store(true)
	}
	return &farm.Actor{Token: asker.Token, Address: asker.Address, At: s.now()}
}
