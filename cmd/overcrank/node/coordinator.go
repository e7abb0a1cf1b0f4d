package node

import (
	"context"
	"errors"
	"log/slog"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
)

// Coordinator is the command that runs a coordinator.
type Coordinator struct{ Flags }

// Run runs a coordinator until ctx ends.
func (c *Coordinator) Run(ctx context.Context, kctx *kong.Context, out *terminal.Output, program process.Program, logger *slog.Logger) error {
	n, err := start(ctx, settingsOf(kctx, c.Flags), program, logger)
	if err != nil {
		return err
	}
	if err = n.welcome(ctx, out); err == nil {
		err = n.run(ctx)
	}
	return errors.Join(err, n.stop())
}
