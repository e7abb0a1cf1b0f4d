package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"overcrank/agent/farmclient"
	"overcrank/agent/identity"
	"overcrank/farm/wire"
)

// Pauses between the tries of a machine that the farm refuses. Only people can change that.
const (
	firstRefusal   = 30 * time.Second
	longestRefusal = 10 * time.Minute
)

// refusals paces the tries of a machine that the farm refuses.
type refusals struct {
	pause time.Duration
	tried bool // the join token
}

// turnedAway drops the work, which is no longer this machine's, and enrols again if there is a join token that was not tried. It returns how
// long to wait until the next try; 0 when the machine has enrolled again.
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
	l.a.log.Error("the farm refuses this machine; to let it in again, start the agent with a new join token (overcrank agents invite)",
		"again", l.refusals.pause, "error", why)
	return l.refusals.pause
}

// authorityChanged tells whether an error means that the farm has another authority than this machine knows, and there is a join token of that
// authority, with which the machine can enrol again.
func (l *link) authorityChanged(err error) bool {
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

// unreachable tells whether an error means that the farm could not be reached or cannot serve this agent now, which is no fault of the agent's: no connection
// came about, a proxy answered for it, no coordinator leads, or the one that leads speaks another version of the protocol. A certificate that one of them does not accept may be this agent's fault.
func unreachable(err error) bool {
	var status *farmclient.StatusError
	var moved *redirected
	var other *otherVersion
	var network net.Error
	var distrusted *tls.CertificateVerificationError
	var alert tls.AlertError
	switch {
	case errors.As(err, &distrusted), errors.As(err, &alert):
		return false
	case errors.As(err, &other):
		return true
	case errors.As(err, &status):
		return status.Code >= http.StatusInternalServerError
	case errors.As(err, &moved):
		return moved.leader == ""
	}
	return errors.As(err, &network)
}
