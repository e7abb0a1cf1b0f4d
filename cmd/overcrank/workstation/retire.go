package workstation

import (
	"context"
	"log/slog"

	"overcrank/agent"
)

// retireCommand is what uninstallers call, not upgrades. It ends within seconds, also when the farm cannot be reached; uninstallers ignore its error.
type retireCommand struct{}

// Run removes this machine from its farm.
func (retireCommand) Run(ctx context.Context, a *Agent, logger *slog.Logger) error {
	return a.Retire(ctx, logger)
}

// Retire removes the machine of these settings from its farm: see agent.Retire.
func (s Settings) Retire(ctx context.Context, logger *slog.Logger) error {
	return agent.Retire(ctx, s.DataDir, given(s.Coordinator), logger)
}
