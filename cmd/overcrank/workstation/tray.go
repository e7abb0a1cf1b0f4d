package workstation

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"overcrank/cmd/overcrank/workstation/tray"
	"overcrank/interval"
)

// trayCommand shows the agent's icon on the desktop of whoever is signed in. On Windows the runner starts it, on Linux the desktop.
type trayCommand struct{}

// Run shows the icon until the desktop ends. A person may have it away until tomorrow.
func (trayCommand) Run(ctx context.Context, a *Agent, logger *slog.Logger) error {
	if a.UntilStdinEnds {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		// Reading standard input can't be interrupted; the process ends soon after this function returns.
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	until, err := tray.Show(ctx, tray.Agent{DataDir: a.DataDir}, logger)
	if err != nil || until.IsZero() {
		return err
	}
	if interval.Wait(ctx, time.Until(until)) != nil {
		return nil //nolint:nilerr // the desktop has ended meanwhile
	}
	return tray.Again()
}
