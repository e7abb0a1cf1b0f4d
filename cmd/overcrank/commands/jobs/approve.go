package jobs

import (
	"context"
	"encoding/json"
	"fmt"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type approveCommand struct {
	IDs []string `arg:"" name:"job" help:"Jobs that were submitted with --approve." complete:"job"`
	remote.Flags
}

// Run approves of jobs.
func (a approveCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	var answers []json.RawMessage
	for _, id := range a.IDs {
		job, err := c.ApproveJob(ctx, id)
		if err != nil {
			return err
		}
		answers = append(answers, job.JSON())
		if !a.JSON {
			fmt.Fprintf(out, "%s approved\n", job.ID)
		}
	}
	if a.JSON {
		return out.Answers(answers)
	}
	return nil
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
	job, err := c.RejectJob(ctx, r.ID, r.Reason)
	if err != nil {
		return err
	}
	if r.JSON {
		return out.Answer(job.JSON())
	}
	fmt.Fprintf(out, "%s rejected\n", job.ID)
	return nil
}
