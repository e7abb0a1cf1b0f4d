package people

import (
	"cmp"
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

// user is a token that is used, or a session of its holder.
type user struct{ token, session string }

// uses remembers when tokens and sessions were used, until the state knows it. It holds one entry for each.
type uses struct {
	mu sync.Mutex
	at map[user]time.Time
}

func newUses() *uses { return &uses{at: map[user]time.Time{}} }

func (u *uses) note(who user, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at.After(u.at[who]) {
		u.at[who] = at
	}
}

func (u *uses) of(who user) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.at[who]
}

// take empties the memory, in the order of ids.
func (u *uses) take() []command.SessionUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := make([]command.SessionUse, 0, len(u.at))
	for who, at := range u.at {
		list = append(list, command.SessionUse{Token: who.token, Session: who.session, At: at})
	}
	clear(u.at)
	slices.SortFunc(list, func(a, b command.SessionUse) int {
		return cmp.Or(strings.Compare(a.Token, b.Token), strings.Compare(a.Session, b.Session))
	})
	return list
}

// withUse is the token with its last use, also when the state does not know it yet.
func (d *Directory) withUse(token farm.Token) farm.Token {
	if at := d.uses.of(user{token: token.ID}); at.After(token.LastUsedAt) {
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
		if _, err := d.state.Apply(ctx, recordOf(part)); err != nil {
			for _, use := range list {
				d.uses.note(user{use.Token, use.Session}, use.At)
			}
			return err
		}
	}
	return nil
}

// recordOf is the command that writes uses down.
func recordOf(list []command.SessionUse) (c command.RecordUses) {
	for _, use := range list {
		if use.Session == "" {
			c.Uses = append(c.Uses, command.TokenUse{Token: use.Token, At: use.At})
		} else {
			c.Sessions = append(c.Sessions, use)
		}
	}
	return c
}
