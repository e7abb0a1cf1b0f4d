package jobs

import (
	"context"
	"fmt"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type approveCommand struct {
	Jobs []string `arg:"" name:"job" help:"Jobs that were submitted with --approve." complete:"job"`
	remote.Flags
}

// Run approves of jobs.
func (a approveCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	return a.PrintEach(out, a.Jobs, func(ref string) (remote.Answer, string, error) {
		id, err := Find(ctx, c, ref)
		if err != nil {
			return nil, "", err
		}
		job, err := c.ApproveJob(ctx, id)
		return job, job.ID + " approved", err
	})
}

type rejectCommand struct {
	jobRef
	Reason string `help:"Why, for whoever submitted it." placeholder:"WORDS"`
	remote.Flags
}

// Run rejects a job.
func (r rejectCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	id, err := r.id(ctx, c)
	if err != nil {
		return err
	}
	job, err := c.RejectJob(ctx, id, r.Reason)
	return r.Print(out, job, err, func() error {
		fmt.Fprintf(out, "%s rejected\n", job.ID)
		return nil
	})
}
