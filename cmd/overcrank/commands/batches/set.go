package batches

import (
	"context"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

type setCommand struct {
	batchRef
	Name *string `help:"What it is called; an empty name takes it away." placeholder:"NAME"`
	Due  *string `help:"When all its jobs should be done, such as 2026-12-01T18:00:00Z, or a length of time from now, such as 4h; empty for no such time." placeholder:"TIME"`
	remote.Flags
}

func (s setCommand) Run(ctx context.Context, out *terminal.Output) error {
	if s.Name == nil && s.Due == nil {
		return exit.Usagef("there is nothing to set: give --name, --due, or both")
	}
	label := client.NewBatchLabel{Name: s.Name}
	if s.Due != nil {
		due := ""
		if *s.Due != "" {
			at, err := remote.TimeToCome("due", *s.Due, time.Now())
			if err != nil {
				return err
			}
			due = at.UTC().Format(time.RFC3339)
		}
		label.DueAt = &due
	}
	c, err := s.Client()
	if err != nil {
		return err
	}
	set, err := c.LabelBatch(ctx, s.ID, label)
	return s.Print(out, set, err, func() error {
		switch {
		case set.Name == "" && set.DueAt == "":
			out.Remark("batch %s has no name and is not due", set.BatchID)
		case set.DueAt == "":
			out.Remark("batch %s is called %s and is not due", set.BatchID, set.Name)
		case set.Name == "":
			out.Remark("batch %s is due %s", set.BatchID, terminal.LocalTime(set.DueAt))
		default:
			out.Remark("batch %s is called %s and due %s", set.BatchID, set.Name, terminal.LocalTime(set.DueAt))
		}
		return nil
	})
}
