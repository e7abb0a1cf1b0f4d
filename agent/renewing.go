package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"overcrank/agent/farmclient"
	"overcrank/agent/identity"
	"overcrank/farm/wire"
	"overcrank/interval"
)

// lookAtCertificate is how often the certificate's age is looked at: a machine that slept has not counted the time.
const lookAtCertificate = 10 * time.Minute

// keepCertificate renews the machine's certificate when a third of its time is left, until ctx ends. Sessions that began
// with the one before go on.
func (a *agent) keepCertificate(ctx context.Context) {
	spread := rand.Float64() // so that machines which enrolled together do not come together
	for {
		wait, err := a.untilRenewal(time.Now(), spread)
		if err == nil && wait <= 0 {
			wait, err = a.renew(ctx)
		}
		if err != nil && ctx.Err() == nil {
			a.log.Warn("this machine's certificate could not be renewed", "again", wait.Round(time.Second), "error", err)
		}
		if interval.Wait(ctx, min(wait, lookAtCertificate)) != nil {
			return
		}
	}
}

// untilRenewal is how long the certificate needs no renewal.
func (a *agent) untilRenewal(now time.Time, spread float64) (time.Duration, error) {
	from, until, err := a.self.now().Life()
	if err != nil {
		return lookAtCertificate, err
	}
	life := until.Sub(from)
	return until.Add(-life/3 - time.Duration(spread*float64(life/30))).Sub(now), nil
}

// renew gets a certificate for another key, and tells how long to wait until the next look at it.
func (a *agent) renew(ctx context.Context) (pause time.Duration, err error) {
	was := a.self.now()
	from, until, err := was.Life()
	if err != nil {
		return lookAtCertificate, err
	}
	// Also after a success, for a machine whose clock is ahead and whose certificates all seem old.
	pause = until.Sub(from) / 200
	key, request, err := nextKey()
	if err != nil {
		return pause, err
	}
	self := identity.Identity{Key: key}
	if err := a.farm.Post(ctx, wire.PathRenew, wire.Renew{Request: request}, &self.Enrolled); err != nil {
		return pause, err
	}
	if a.self.now().AgentID != was.AgentID {
		return pause, nil // it has enrolled anew meanwhile
	}
	if err := a.become(self); err != nil {
		return pause, err
	}
	a.log.Info("this machine's certificate was renewed")
	return pause, nil
}

// The pauses of a machine that the farm does not let in any more: people have to do something about that.
const (
	firstRefusal   = 30 * time.Second
	longestRefusal = 10 * time.Minute
)

// refusals paces a machine that is not let in.
type refusals struct {
	pause time.Duration
	tried bool // the join token
}

// turnedAway drops the work that is no longer this machine's, and comes in by the join token if there is one that was not
// tried. It returns how long to wait until the next try; 0 when the machine has enrolled anew.
func (l *link) turnedAway(ctx context.Context, why error) time.Duration {
	for _, at := range l.a.board.holding() {
		l.a.board.forget(at)
	}
	if l.a.cfg.JoinToken != "" && !l.refusals.tried {
		l.refusals.tried = true
		err := l.a.enrolAnew(ctx)
		if err == nil {
			l.refusals = refusals{}
			return 0
		}
		if ctx.Err() != nil {
			return 0
		}
		why = errors.Join(why, err)
	}
	l.refusals.pause = min(max(2*l.refusals.pause, firstRefusal), longestRefusal)
	l.a.log.Error("this machine is out of the farm; to let it in again, start the agent with a new join token (overcrank agents invite)",
		"again", l.refusals.pause, "error", why)
	return l.refusals.pause
}

// founded tells whether an error means that the farm has another authority than this machine knows, and the machine was given a join token
// with which it can come in again.
func (l *link) founded(err error) bool {
	if !errors.As(err, new(*tls.CertificateVerificationError)) || l.a.cfg.JoinToken == "" || l.refusals.tried {
		return false
	}
	token, err := wire.ParseJoinToken(l.a.cfg.JoinToken)
	return err == nil && !identity.Vouches(l.a.self.now().Authority, token.Authority)
}

// outdated is an error when the machine's certificate has expired, so that no coordinator would let it in.
func (a *agent) outdated() error {
	_, until, err := a.self.now().Life()
	if err == nil && time.Now().After(until) {
		return fmt.Errorf("%w: its certificate has expired on %s", errRefused, until.Format(time.DateOnly))
	}
	return err
}

// refusal is the error that an answer to the opening of a session stands for.
func refusal(res *http.Response) error {
	err := error(&farmclient.StatusError{Code: res.StatusCode, Message: farmclient.Message(res.Body)})
	if res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden {
		err = fmt.Errorf("%w: %w", errRefused, err)
	}
	return err
}
