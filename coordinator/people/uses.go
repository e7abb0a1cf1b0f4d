package people

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"overcrank/farm"
	"overcrank/interval"
	"overcrank/raftstore/command"
)

const (
	// recordEvery is how true the state is to when a token was last used.
	recordEvery = time.Minute
	// mostUses keeps one command small, however many tokens are in use.
	mostUses = 1000
)

// uses remembers when tokens were used, until the state knows it. It holds one entry per token.
type uses struct {
	mu sync.Mutex
	at map[string]time.Time // by token
}

func newUses() *uses { return &uses{at: map[string]time.Time{}} }

func (u *uses) note(token string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at.After(u.at[token]) {
		u.at[token] = at
	}
}

func (u *uses) of(token string) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.at[token]
}

// take empties the memory, in the order of ids.
func (u *uses) take() []command.TokenUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := make([]command.TokenUse, 0, len(u.at))
	for token, at := range u.at {
		list = append(list, command.TokenUse{Token: token, At: at})
	}
	clear(u.at)
	slices.SortFunc(list, func(a, b command.TokenUse) int { return strings.Compare(a.Token, b.Token) })
	return list
}

// withUse is the token with its last use, also when the state does not know it yet.
func (d *Directory) withUse(token farm.Token) farm.Token {
	if at := d.uses.of(token.ID); at.After(token.LastUsedAt) {
		token.LastUsedAt = at
	}
	return token
}

// KeepUses writes the uses of all tokens down together, once in a while.
func (d *Directory) KeepUses(ctx context.Context) {
	interval.Every(ctx, recordEvery, func() {
		if err := d.RecordUses(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("recording when tokens were last used; it is tried again", "error", err)
		}
	})
}

// RecordUses writes the uses since the last time into the state. What could not be written stays remembered.
func (d *Directory) RecordUses(ctx context.Context) error {
	list := d.uses.take()
	for part := range slices.Chunk(list, mostUses) {
		if _, err := d.state.Apply(ctx, command.RecordUses{Uses: part}); err != nil {
			for _, use := range list {
				d.uses.note(use.Token, use.At)
			}
			return err
		}
	}
	return nil
}
