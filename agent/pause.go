package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/agent/control"
	"overcrank/agent/presence"
	"overcrank/durable"
)

// pauseFile keeps a pause over the agent's end, in the data folder.
const pauseFile = "pause.json"

// pausedBefore is the pause that an earlier run was asked for.
func pausedBefore(dataDir string) (p presence.Pause, err error) {
	err = durable.ReadJSON(filepath.Join(dataDir, pauseFile), &p)
	if errors.Is(err, os.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return presence.Pause{}, fmt.Errorf("reading the pause: %w", err)
	}
	return p, nil
}

// Pause keeps the machine from working until then, or lets it work again.
func (a *agent) Pause(p presence.Pause) error {
	if err := durable.WriteJSON(filepath.Join(a.cfg.DataDir, pauseFile), p, 0o600); err != nil {
		return fmt.Errorf("keeping the pause: %w", err)
	}
	a.watch.Pause(p)
	a.watch.Look(context.Background()) // so that whoever asked is told how the machine is now
	return nil
}

// Status is what the agent tells people at the machine.
func (a *agent) Status() control.Status {
	return control.Status{
		Name: a.cfg.Name, Coordinator: a.farm.Address(), Linked: a.link.linked.Load(), Presence: a.availability(), Pause: a.watch.Paused(),
		Working: a.slots.working(), Standing: *a.link.standing.Load(), Trouble: *a.link.trouble.Load(),
	}
}
