package jobs

import (
	"context"
	"fmt"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type holdCommand struct {
	Jobs []string `arg:"" name:"job" help:"Jobs that have not ended." complete:"job"`
	remote.Flags
}

func (h holdCommand) Run(ctx context.Context, out *terminal.Output) error {
	return changeHold(ctx, out, h.Flags, h.Jobs, (*client.Client).Hold, "held")
}

type releaseCommand struct {
	Jobs []string `arg:"" name:"job" help:"Jobs that are held." complete:"job"`
	remote.Flags
}

func (r releaseCommand) Run(ctx context.Context, out *terminal.Output) error {
	return changeHold(ctx, out, r.Flags, r.Jobs, (*client.Client).Release, "released")
}

// changeHold holds jobs or releases them, and says that they are.
func changeHold(ctx context.Context, out *terminal.Output, flags remote.Flags, named []string,
	change func(*client.Client, context.Context, []string) (client.List[client.Job], error), became string,
) error {
	c, err := flags.Client()
	if err != nil {
		return err
	}
	ids, err := findAll(ctx, c, named)
	if err != nil {
		return err
	}
	jobs, err := change(c, ctx, ids)
	return flags.Print(out, jobs, err, func() error {
		for _, j := range jobs.Items {
			fmt.Fprintf(out, "%s %s\n", j.ID, became)
		}
		return nil
	})
}
