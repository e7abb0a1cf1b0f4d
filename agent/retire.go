package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"overcrank/agent/farmclient"
	"overcrank/agent/identity"
	"overcrank/farm/wire"
)

const (
	// retireWithin bounds how long a machine tries to tell its farm that it leaves: an uninstaller waits for it.
	retireWithin = 8 * time.Second
	// retireTry bounds one try with one coordinator.
	retireTry = 3 * time.Second
)

// Retire removes the machine of a data folder from its farm, as when the agent is uninstalled, and deletes the machine's credential: a machine that comes
// back needs a new join token. A machine that never joined, or that the farm has already removed, is no error. When no coordinator answers within a few
// seconds the credential stays, and the machine stays listed on the farm.
func Retire(ctx context.Context, dataDir string, coordinators []string, log *slog.Logger) error {
	self, err := identity.ReadCredential(dataDir)
	if err != nil {
		return err
	}
	if !self.Now().Certified() {
		return self.Damaged
	}
	config, err := self.Now().TLS()
	if err != nil {
		return err
	}
	if len(coordinators) == 0 {
		return errors.New("the settings name no coordinator: remove this machine on the farm (overcrank agents remove)")
	}
	farm := farmclient.New(coordinators, log)
	farm.Identify(config)
	defer farm.Close()
	ctx, cancel := context.WithTimeout(ctx, retireWithin)
	defer cancel()
	if err := leave(ctx, farm); err != nil {
		return fmt.Errorf("telling the farm that this machine leaves: %w; remove it there (overcrank agents remove)", err)
	}
	return self.Forget()
}

// leave asks one coordinator after the other until one has removed the machine.
func leave(ctx context.Context, farm *farmclient.Client) error {
	for {
		err := leaveBy(ctx, farm)
		var status *farmclient.StatusError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &status) && status.Code == http.StatusUnauthorized:
			return nil // the farm does not know the machine any more; 404 is what a coordinator of a release before this request answers
		}
		if farm.TryNext() || ctx.Err() != nil {
			return err
		}
	}
}

func leaveBy(ctx context.Context, farm *farmclient.Client) error {
	ctx, cancel := context.WithTimeout(ctx, retireTry)
	defer cancel()
	res, err := farm.Do(ctx, http.MethodPost, wire.PathLeave, "", nil, 0)
	if err != nil {
		return err
	}
	return res.Body.Close()
}
