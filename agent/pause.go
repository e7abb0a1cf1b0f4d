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

// batteryFile keeps what somebody at the machine chose for its battery, in the data folder.
const batteryFile = "battery.json"

// batteryBefore is what was chosen in an earlier run.
func batteryBefore(dataDir string) (never bool, err error) {
	var chosen control.Battery
	err = durable.ReadJSON(filepath.Join(dataDir, batteryFile), &chosen)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, fmt.Errorf("reading the choice for the battery: %w", err)
	}
	return chosen.Never, nil
}

// NeverOnBattery keeps the machine from working on its battery, or leaves that to the settings.
func (a *agent) NeverOnBattery(never bool) error {
	if err := durable.WriteJSON(filepath.Join(a.cfg.DataDir, batteryFile), control.Battery{Never: never}, 0o600); err != nil {
		return fmt.Errorf("keeping the choice for the battery: %w", err)
	}
	a.neverOnBattery.Store(never)
	a.watch.SetRules(a.rules())
	a.watch.Look(context.Background()) // so that whoever asked is told how the machine is now
	return nil
}

// Picture is a small picture of a task's latest frame.
func (a *agent) Picture(task string) []byte { return a.slots.picture(task) }

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
		Name: a.cfg.Name, Coordinator: a.farm.Address(), Linked: a.link.linked.Load(), UpdatesOnly: a.link.updatesOnly.Load(), Presence: a.availability(), Pause: a.watch.Paused(),
		Working: a.slots.working(), Standing: *a.link.standing.Load(), Trouble: *a.link.trouble.Load(), NeverOnBattery: a.neverOnBattery.Load(),
	}
}
