package agent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"overcrank/agent/identity"
	"overcrank/farm/wire"
	"overcrank/interval"
)

// lookAtCertificate is the longest wait between two looks at the certificate's age: timers stand still while a machine sleeps.
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

// untilRenewal is how long it is until the certificate should be renewed.
func (a *agent) untilRenewal(now time.Time, spread float64) (time.Duration, error) {
	from, until, err := a.self.Now().Life()
	if err != nil {
		return lookAtCertificate, err
	}
	life := until.Sub(from)
	return until.Add(-life/3 - time.Duration(spread*float64(life/30))).Sub(now), nil
}

// renew gets a certificate for another key, and tells how long to wait until the next look at it.
func (a *agent) renew(ctx context.Context) (pause time.Duration, err error) {
	was := a.self.Now()
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
	if a.self.Now().AgentID != was.AgentID {
		return pause, nil // it has enrolled anew meanwhile
	}
	if err := a.become(self); err != nil {
		return pause, err
	}
	a.log.Info("this machine's certificate was renewed")
	return pause, nil
}

// outdated is an error when the machine's certificate has expired, so that no coordinator would let it in.
func (a *agent) outdated() error {
	_, until, err := a.self.Now().Life()
	if err == nil && time.Now().After(until) {
		return fmt.Errorf("%w: its certificate has expired on %s", errRefused, until.Format(time.DateOnly))
	}
	return err
}
