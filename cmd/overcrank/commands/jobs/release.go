package jobs

import (
	"context"
	"fmt"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type releaseCommand struct {
	Jobs []string `arg:"" name:"job" help:"Jobs that were submitted with hold." complete:"job"`
	remote.Flags
}

func (r releaseCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	ids, err := findAll(ctx, c, r.Jobs)
	if err != nil {
		return err
	}
	jobs, err := c.Release(ctx, ids)
	return r.Print(out, jobs, err, func() error {
		for _, j := range jobs.Items {
			fmt.Fprintf(out, "%s released\n", j.ID)
		}
		return nil
	})
}
