package people

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"
	"unicode"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// turnEvery is how old a cookie gets in use. The one before is good for turnGrace more: requests that were on their way have it, and
	// browsers that never got the answer with the new one.
	turnEvery = 12 * time.Hour
	turnGrace = time.Hour
	// longestSession is when a session ends behind its beginning, however often it is made to last longer.
	longestSession = 90 * 24 * time.Hour
	// browserLimit bounds what is kept of the name that a browser gives itself, in bytes.
	browserLimit = 300
)

// Browser is where somebody signs in.
type Browser struct {
	Name    string // its User-Agent
	Address string
}

// BeginSession signs a browser in as the holder of a token, for a time.
func (d *Directory) BeginSession(ctx context.Context, tokenID string, b Browser, life time.Duration) (farm.Session, error) {
	now := d.state.Now()
	// Cookies count in whole seconds.
	session := farm.Session{ID: rand.Text(), Until: now.Add(life).Truncate(time.Second)}
	_, err := d.state.Apply(ctx, command.BeginSession{Session: farm.OpenSession{
		Session: session, Token: tokenID, Browser: browserName(b.Name), Address: b.Address, BegunAt: now, UsedAt: now, TurnedAt: now,
	}})
	return session, err
}

// browserName is what is kept of a name that anybody can choose.
func browserName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	return strings.ToValidUTF8(name[:min(len(name), browserLimit)], "")
}

var errSessionOver = farm.Errorf(farm.CodeUnauthorized, "the session has ended")

// InSession finds who a session of a token's holder stands for; CodeUnauthorized when it is over, or the token is not good any more. A
// cookie that was replaced long ago ends the session: two browsers show it, and one of them has it from the other.
func (d *Directory) InSession(ctx context.Context, tokenID string, s farm.Session) (farm.Principal, error) {
	open, err := d.openSession(ctx, tokenID, s)
	if err != nil {
		return farm.Principal{}, err
	}
	now := d.state.Now()
	if behind := open.Turn - s.Turn; behind > 1 || behind == 1 && now.After(open.TurnedAt.Add(turnGrace)) {
		d.log.Warn("a cookie was shown that had been replaced; its session is ended", "token", tokenID, "session", s.ID)
		if _, err := d.state.Apply(ctx, command.EndSessions{Token: tokenID, ID: s.ID, At: now}); err != nil {
			return farm.Principal{}, err
		}
		return farm.Principal{}, errSessionOver
	}
	p, err := d.PrincipalOf(ctx, tokenID)
	if err == nil {
		d.uses.note(user{tokenID, s.ID}, now)
	}
	p.Session = s
	return p, err
}

// openSession is what the farm knows of a session; CodeUnauthorized when it is over. One that this node does not know may have begun at
// another one just now.
func (d *Directory) openSession(ctx context.Context, tokenID string, s farm.Session) (open farm.OpenSession, err error) {
	read := func(tx *raftstore.Tx) (err error) {
		open, err = tx.Session(tokenID, s.ID)
		return err
	}
	now := d.state.Now()
	if s.ID == "" || !now.Before(s.Until) {
		return open, errSessionOver
	}
	err = d.state.View(read)
	if farm.CodeOf(err) == farm.CodeNotFound {
		if err := d.state.Fresh(ctx); err != nil {
			return open, err
		}
		err = d.state.View(read)
	}
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && open.Over(now) {
		err = errSessionOver
	}
	return open, err
}

// Current is the caller as things are now: with the role that it has by now, and CodeUnauthorized when its session or its token has
// ended.
func (d *Directory) Current(ctx context.Context, p farm.Principal) (farm.Principal, error) {
	if p.Session.ID == "" {
		return d.PrincipalOf(ctx, p.TokenID)
	}
	if _, err := d.openSession(ctx, p.TokenID, p.Session); err != nil {
		return farm.Principal{}, err
	}
	now, err := d.PrincipalOf(ctx, p.TokenID)
	now.Session = p.Session
	return now, err
}

// TurnSession is the caller's session with the cookie that its browser is to have from now on, when that is another one. With lasts, such a
// session ends no sooner than that from now, and never later than longestSession behind its beginning.
func (d *Directory) TurnSession(ctx context.Context, p farm.Principal, lasts time.Duration) (turned farm.Session, due bool, err error) {
	open, err := d.openSession(ctx, p.TokenID, p.Session)
	if err != nil {
		return turned, false, err
	}
	now := d.state.Now()
	switch {
	case open.Turn > p.Session.Turn:
		return open.Session, true, nil
	case open.Turn < p.Session.Turn, now.Before(open.TurnedAt.Add(turnEvery)):
		return p.Session, false, nil
	}
	turn := command.TurnSession{Token: p.TokenID, ID: open.ID, Turn: open.Turn, At: now}
	if until := now.Add(lasts).Truncate(time.Second); lasts > 0 && until.After(open.Until) {
		turn.Until = until
		if bound := open.BegunAt.Add(longestSession).Truncate(time.Second); bound.Before(until) {
			turn.Until = bound
		}
	}
	if _, err := d.state.Apply(ctx, turn); err != nil {
		return turned, false, err
	}
	open.Turn++
	if !turn.Until.IsZero() {
		open.Until = turn.Until
	}
	return open.Session, true, nil
}

// EndSession ends the browser's session that the caller asks in, on every coordinator and in every page that is open. To end it twice
// changes nothing.
func (d *Directory) EndSession(ctx context.Context, p farm.Principal) error {
	if p.Session.ID == "" {
		return farm.Errorf(farm.CodeConflict, "the request shows a token and belongs to no browser's session")
	}
	return d.EndOwnSessions(ctx, p, p.Session.ID)
}

// EndOwnSessions signs browsers of the caller out: the one with an id, or all for "".
func (d *Directory) EndOwnSessions(ctx context.Context, p farm.Principal, id string) error {
	_, err := d.state.Apply(ctx, command.EndSessions{Token: p.TokenID, ID: id, At: d.state.Now()})
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil // the token has ended, and its sessions with it
	}
	return err
}

// Sessions lists where a person is signed in, the last used first.
func (d *Directory) Sessions(ctx context.Context, p farm.Principal, id string) ([]farm.OpenSession, error) {
	if err := p.May(farm.ActManageTokens); err != nil {
		return nil, err
	}
	if _, err := d.Token(ctx, p, id, true); err != nil {
		return nil, err
	}
	return d.sessionsOf(id)
}

// EndSessions signs a person out: of the session with an id, or everywhere for "". CodeNotFound when there is no such session.
func (d *Directory) EndSessions(ctx context.Context, p farm.Principal, id, session string) error {
	list, err := d.Sessions(ctx, p, id)
	if err != nil {
		return err
	}
	if session != "" && !slices.ContainsFunc(list, func(s farm.OpenSession) bool { return s.ID == session }) {
		return farm.Errorf(farm.CodeNotFound, "there is no session %q of this person", session)
	}
	if _, err = d.state.Apply(ctx, command.EndSessions{Token: id, ID: session, At: d.state.Now()}); err == nil {
		d.log.Info("somebody was signed out", "person", id, "by", p.Name)
	}
	return err
}

// sessionsOf are the sessions of a token's holder, the last used first.
func (d *Directory) sessionsOf(id string) (list []farm.OpenSession, err error) {
	now := d.state.Now()
	err = d.state.View(func(tx *raftstore.Tx) error {
		all, err := tx.Sessions(id)
		for _, s := range all {
			if s.Over(now) {
				continue
			}
			if at := d.uses.of(user{id, s.ID}); at.After(s.UsedAt) {
				s.UsedAt = at
			}
			list = append(list, s)
		}
		return err
	})
	slices.SortFunc(list, func(a, b farm.OpenSession) int {
		return cmp.Or(b.UsedAt.Compare(a.UsedAt), strings.Compare(a.ID, b.ID))
	})
	return list, err
}

// DropSessions forgets sessions whose time is over.
func (d *Directory) DropSessions(ctx context.Context) error {
	now := d.state.Now()
	var over []string // tokens
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		over, err = tx.TokensWithSessionsOver(now)
		return err
	})
	for _, token := range over {
		if err != nil {
			break
		}
		_, err = d.state.Apply(ctx, command.EndSessions{Token: token, Over: true, At: now})
	}
	return err
}
