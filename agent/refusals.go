package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	"overcrank/agent/farmclient"
	"overcrank/agent/identity"
	"overcrank/farm/wire"
)

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
	for _, at := range l.a.slots.holding() {
		l.a.slots.settle(at)
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
	return err == nil && !identity.Vouches(l.a.self.Now().Authority, token.Authority)
}

// refusal is the error that an answer to the opening of a session stands for.
func refusal(res *http.Response) error {
	err := error(&farmclient.StatusError{Code: res.StatusCode, Message: farmclient.Message(res.Body)})
	if res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden {
		err = fmt.Errorf("%w: %w", errRefused, err)
	}
	return err
}
