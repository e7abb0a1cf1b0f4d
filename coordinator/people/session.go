package people

import (
	"context"
	"crypto/rand"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// A session is nothing but what its browser shows: a signed cookie. The farm's state knows only of those that somebody ended before
// their time, as codes that are used up, so that signing in writes nothing and signing out holds on every coordinator at once.

// NewSession begins a browser's session that lasts a time.
func (d *Directory) NewSession(life time.Duration) farm.Session {
	// Cookies count in whole seconds.
	return farm.Session{ID: rand.Text(), Until: d.state.Now().Add(life).Truncate(time.Second)}
}

// sessionCode is the code that ending a session uses up.
func sessionCode(s farm.Session) string { return "session " + s.ID }

// InSession finds who a session of a token's holder stands for; CodeUnauthorized when it is over, or the token is not good any more.
func (d *Directory) InSession(ctx context.Context, tokenID string, s farm.Session) (farm.Principal, error) {
	over := farm.Errorf(farm.CodeUnauthorized, "the session has ended")
	if s.ID == "" || !d.state.Now().Before(s.Until) {
		return farm.Principal{}, over
	}
	switch ended, err := d.used(sessionCode(s), s.Until); {
	case err != nil:
		return farm.Principal{}, err
	case ended:
		return farm.Principal{}, over
	}
	p, err := d.PrincipalOf(ctx, tokenID)
	p.Session = s
	return p, err
}

// Current is the caller as things are now: with the role that it has by now, and CodeUnauthorized when its session or its token has
// ended.
func (d *Directory) Current(ctx context.Context, p farm.Principal) (farm.Principal, error) {
	if p.Session == (farm.Session{}) {
		return d.PrincipalOf(ctx, p.TokenID)
	}
	return d.InSession(ctx, p.TokenID, p.Session)
}

// EndSession ends the browser's session that the caller asks in, on every coordinator and in every page that is open. To end it twice
// changes nothing.
func (d *Directory) EndSession(ctx context.Context, p farm.Principal) error {
	if p.Session.ID == "" {
		return farm.Errorf(farm.CodeConflict, "the request shows a token and belongs to no browser's session")
	}
	_, err := d.state.Apply(ctx, command.UseCode{Hash: hashCode(sessionCode(p.Session)), Team: p.Team, Until: p.Session.Until, At: d.state.Now()})
	if farm.CodeOf(err) == farm.CodeGone {
		return nil
	}
	return err
}
