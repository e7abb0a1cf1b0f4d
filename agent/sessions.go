package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"overcrank/agent/adobe"
	"overcrank/agent/runner"
	"overcrank/durable"
	"overcrank/farm"
)

// openSessions prepares to run After Effects in the sessions of signed-in people, if the settings ask for that.
func (a *agent) openSessions() {
	if !a.cfg.Sessions {
		return
	}
	a.sessions = runner.Open(runner.Config{
		DataDir: a.cfg.DataDir, Program: a.cfg.Engine, Version: a.cfg.Version, Who: a.cfg.Who, Log: a.log,
		Engines: a.afterEffects, Changed: a.sessionsChanged,
	})
}

func (a *agent) sessionsChanged() {
	a.link.nudge()
	select {
	case a.owedNow <- struct{}{}:
	default:
	}
}

// owedFile is a file in the data folder. It lists the accounts whose After Effects caches still hold files of a job that asked for nothing to be kept, and
// since when. They are cleared as soon as a runner of the account connects again.
const owedFile = "caches-to-clear.json"

type owedCaches struct {
	Since map[string]time.Time `json:"since"` // by account
}

// owe adds accounts to the list.
func (a *agent) owe(more map[string]time.Time) error {
	if len(more) == 0 {
		return nil
	}
	return a.changeOwed(func(owed map[string]time.Time) {
		for account, since := range more {
			if before, known := owed[account]; !known || since.Before(before) {
				owed[account] = since
			}
		}
	})
}

func (a *agent) readOwed() (map[string]time.Time, error) {
	kept := owedCaches{Since: map[string]time.Time{}}
	err := durable.ReadJSON(filepath.Join(a.cfg.DataDir, owedFile), &kept)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading the list of caches to clear: %w", err)
	}
	return kept.Since, nil
}

func (a *agent) changeOwed(change func(owed map[string]time.Time)) error {
	a.owing.Lock()
	defer a.owing.Unlock()
	owed, err := a.readOwed()
	if err != nil {
		a.log.Error("the list of caches to clear cannot be read: it begins anew", "error", err)
		owed = map[string]time.Time{}
	}
	change(owed)
	if err := durable.WriteJSON(filepath.Join(a.cfg.DataDir, owedFile), owedCaches{owed}, 0o600); err != nil {
		return fmt.Errorf("writing the list of caches to clear: %w", err)
	}
	return nil
}

// clearOwed clears the caches of the person who is signed in, if they are on the list.
func (a *agent) clearOwed() error {
	seat, err := a.sessions.Enter()
	if err != nil {
		return nil // nobody is signed in: it is done later
	}
	a.owing.Lock()
	owed, err := a.readOwed()
	a.owing.Unlock()
	since, owes := owed[seat.Owner()]
	if err != nil || !owes {
		return err
	}
	if err := seat.Discard(since); err != nil {
		return err
	}
	return a.changeOwed(func(owed map[string]time.Time) {
		if owed[seat.Owner()].Equal(since) {
			delete(owed, seat.Owner())
		}
	})
}

// afterEffects returns the paths of this machine's aerender programs.
func (a *agent) afterEffects() []string {
	var paths []string
	for _, e := range a.inventory.now().Engines {
		if e.Kind == farm.EngineAfterEffects {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// enterSession returns the session in which After Effects can run now.
func (a *agent) enterSession() (adobe.Seat, error) {
	seat, err := a.sessions.Enter()
	if err != nil {
		return nil, err
	}
	return seat, nil
}

// runSessions serves the runners in people's sessions until ctx ends.
func (a *agent) runSessions(ctx context.Context) {
	if a.sessions == nil {
		return
	}
	var clearing sync.WaitGroup
	defer clearing.Wait()
	clearing.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-a.owedNow:
			}
			if err := a.clearOwed(); err != nil {
				a.log.Warn("the caches of After Effects may still hold files of a job that asked for nothing to be kept", "error", err)
			}
		}
	})
	if err := a.sessions.Run(ctx); err != nil {
		a.log.Error("After Effects cannot run in people's sessions", "error", err)
	}
}

// lacksAfterEffects returns why After Effects cannot run on this machine now; "" when it can, and on a machine without it.
func (a *agent) lacksAfterEffects() string {
	if a.sessions == nil || len(a.afterEffects()) == 0 {
		return ""
	}
	return a.sessions.State().Lacks
}

// signedIn tells whether somebody is signed in at the machine, as far as the agent can see.
func (a *agent) signedIn() farm.SignedIn {
	seen := farm.SignedIn(a.watch.Session())
	if seen != farm.SignedInUnknown || a.sessions == nil {
		return seen
	}
	switch state := a.sessions.State(); {
	case state.Person.ID != "":
		return farm.SignedInActive
	case state.Lacks == runner.NobodySignedIn:
		return farm.SignedInNobody
	}
	return seen
}
