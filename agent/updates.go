package agent

import (
	"context"
	"errors"
	"time"

	"aead.dev/minisign"

	"overcrank/agent/update"
	"overcrank/interval"
	"overcrank/launcher"
	"overcrank/release"
)

// ErrUpdate is the error of Run when the agent ends so that the launcher starts another release.
var ErrUpdate = errors.New("the agent restarts with another release")

// Updates is how the agent's program is updated.
type Updates struct {
	Launch  *launcher.Launch                // by the launcher that started this agent; nil for none
	Managed bool                            // the machine's administrators install releases themselves
	Roots   string                          // file with the root keys to check releases with, "" for those built into the program
	Trial   func(ctx context.Context) error // test render: a release on trial is kept only if it succeeds
}

const (
	// finishTime is how long running tasks may take before the agent restarts with a release. Those that take longer are given back with their
	// finished frames.
	finishTime = 15 * time.Minute
	finishLook = 200 * time.Millisecond
	// tellTime is how long the agent waits for the farm to hear that it restarts.
	tellTime = 3 * time.Second
)

// newUpdater returns the updater of this machine.
func (a *agent) newUpdater() *update.Updater {
	cfg := a.cfg.Updates
	return update.New(update.Config{
		Launch: cfg.Launch, Version: a.cfg.Version, Managed: cfg.Managed, Trial: cfg.Trial,
		Roots: func() ([]minisign.PublicKey, error) { return release.Roots(cfg.Roots) },
		Farm:  a.farm, Finish: a.finishFor, Welcomed: a.welcomed, Away: a.link.away.Load, Changed: a.link.nudge, Log: a.log,
	})
}

// keepUpdated keeps this machine at the release that the farm wants, and ends the agent when another release is ready to be started.
func (a *agent) keepUpdated(ctx context.Context) {
	switch err := a.updater.Run(ctx); {
	case errors.Is(err, update.ErrRestart):
		for late := time.Now().Add(tellTime); a.link.toldUpdating() != a.updater.Told() && time.Now().Before(late); {
			if interval.Wait(ctx, finishLook) != nil {
				return
			}
		}
		a.log.Info("restarting with another release", "release", a.updater.Told().Release)
		a.end(ErrUpdate)
	case err != nil:
		a.end(err)
	}
}

// finishFor stops taking work, and waits until running tasks have ended or finishTime has passed.
func (a *agent) finishFor(ctx context.Context, version string) (resume func(), err error) {
	why := "it is being updated to " + version
	a.restarting.Store(&why)
	a.link.nudge()
	resume = func() {
		a.restarting.Store(nil)
		a.link.nudge()
	}
	for late := time.Now().Add(finishTime); a.slots.busy() && time.Now().Before(late); {
		if err := interval.Wait(ctx, finishLook); err != nil {
			resume()
			return nil, err
		}
	}
	return resume, nil
}
