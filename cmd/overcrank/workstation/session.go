package workstation

import (
	"context"
	"log/slog"
	"os"
	"runtime"

	"overcrank/agent/adobe"
	"overcrank/agent/aerender"
	"overcrank/agent/inventory"
	"overcrank/agent/presence"
	"overcrank/agent/runner"
	"overcrank/cmd/overcrank/process"
)

// sessionCommand runs in the session of a person, where the agent's service cannot: it starts After Effects for it and tells it of the
// session's input. Windows has the service start it, macOS a LaunchAgent, and Linux the desktop.
type sessionCommand struct{}

// Run serves the agent's service until the session ends.
func (sessionCommand) Run(ctx context.Context, a *Agent, program process.Program, logger *slog.Logger) error {
	system, caches := inventory.Here(), adobe.NewCaches(runtime.GOOS, os.Getenv)
	session := runner.Session{
		Version: program.Version, Clear: caches.Clear, Log: logger,
		Script: func(engine, script string) []string { return aerender.ScriptCommand(runtime.GOOS, engine, script) },
		Engines: func(ctx context.Context) []string {
			var paths []string
			for _, e := range system.AfterEffects(ctx) {
				paths = append(paths, e.Path)
			}
			return paths
		},
	}
	if runtime.GOOS != "darwin" { // whose service sees the input by itself
		desk, err := presence.NewDesk(nil)
		if err != nil {
			return err
		}
		defer desk.Close()
		session.Desk = desk
	}
	defer keepTray(ctx, a.DataDir, logger)()
	// Of another version than the service it ends: whoever keeps this program running starts the new one.
	return runner.Run(ctx, a.DataDir, session)
}
