package jobs

import (
	"context"
	"fmt"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type cancelCommand struct {
	Jobs []string `arg:"" name:"job" help:"Jobs to cancel." complete:"job"`
	remote.Flags
	Force bool `help:"Stop them also when they render."`
}

func (cancelCommand) Help() string {
	return `Related jobs go with them: the parts of a job, and the job that a part belongs to. All that were cancelled are printed.`
}

func (x cancelCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := x.Client()
	if err != nil {
		return err
	}
	ids, err := findAll(ctx, c, x.Jobs)
	if err != nil {
		return err
	}
	jobs, err := c.Cancel(ctx, ids, x.Force)
	return x.Print(out, jobs, err, func() error {
		for _, j := range jobs.Items {
			fmt.Fprintf(out, "%s cancelled\n", j.ID)
		}
		return nil
	})
}
