package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"overcrank/durable"
	"overcrank/farm/wire"
)

// errRefused means that the farm does not know this machine's credential.
var errRefused = errors.New("the farm does not accept this machine's credential")

func (a *agent) credentialPath() string { return filepath.Join(a.cfg.DataDir, "credential.json") }

// enrol gives the machine its own credential, from the file of an earlier run or from the farm.
func (a *agent) enrol(ctx context.Context) error {
	b, err := os.ReadFile(a.credentialPath())
	switch {
	case err == nil && json.Unmarshal(b, &a.self) == nil && a.self.Secret != "":
		a.farm.setCredential(a.self.Secret)
		return nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("reading this machine's credential: %w", err)
	}
	return a.enrolAnew(ctx)
}

// enrolAnew asks the farm for a credential, until it answers.
func (a *agent) enrolAnew(ctx context.Context) error {
	if a.cfg.JoinToken == "" {
		return errors.New("this machine has not enrolled: start the agent once with the farm's join token")
	}
	for pause := newBackoff(); ; {
		err := a.farm.post(ctx, wire.PathEnrol, a.cfg.JoinToken, wire.Enrol{Name: a.cfg.Name, Inventory: a.stock.now().Inventory}, &a.self)
		var status *statusError
		switch {
		case err == nil:
			return a.keepCredential()
		case errors.As(err, &status) && (status.code == http.StatusUnauthorized || status.code == http.StatusForbidden):
			return fmt.Errorf("the farm did not accept the join token: ask its administrator for a current one: %w", err)
		case errors.As(err, &status) && status.code < http.StatusInternalServerError && status.code != http.StatusTooManyRequests:
			return fmt.Errorf("enrolling: %w", err)
		}
		wait := pause.next()
		a.log.Info("the farm cannot be reached yet", "coordinator", a.cfg.Coordinator, "again", wait.Round(time.Millisecond), "error", err)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

func (a *agent) keepCredential() error {
	if a.self.Secret == "" || a.self.AgentID == "" {
		return errors.New("the farm answered the enrolment without a credential")
	}
	b, err := json.Marshal(a.self)
	if err != nil {
		return fmt.Errorf("keeping this machine's credential: %w", err)
	}
	if err := durable.WriteFile(a.credentialPath(), b, 0o600); err != nil {
		return fmt.Errorf("keeping this machine's credential: %w", err)
	}
	a.farm.setCredential(a.self.Secret)
	a.log.Info("enrolled", "agent", a.self.AgentID)
	return nil
}

// sleep waits, or returns why ctx ended.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
