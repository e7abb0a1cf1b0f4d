package jobs

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

type whyCommand struct {
	jobRef
	remote.Flags
}

// Run says what a job waits for.
func (w whyCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := w.Client()
	if err != nil {
		return err
	}
	id, err := w.id(ctx, c)
	if err != nil {
		return err
	}
	placement, err := c.Placement(ctx, id)
	return w.Print(out, placement, err, func() error {
		if placement.Why == "" {
			job, err := c.Job(ctx, id)
			if err != nil {
				return err
			}
			placement.Why = "It does not wait: it is " + wording.Job(job.Status) + "."
			if job.Status == farm.JobFailed {
				placement.Why = "It does not wait: it has failed."
			}
			if job.Stats.Error != "" {
				placement.Why += " " + job.Stats.Error
			}
		}
		fmt.Fprintln(out, placement.Why)
		if placement.Split != "" {
			fmt.Fprintln(out, placement.Split)
		}
		return printPlacement(placement, out)
	})
}

// printPlacement prints what is asked of machines, where the job stands, and when it is likely to begin.
func printPlacement(p client.Placement, out *terminal.Output) error {
	t := terminal.NewTable()
	if p.Task != "" {
		t.Row("machines", fmt.Sprintf("%d connected, %d fit, %d of these are free", p.Agents, p.Fitting, p.Free))
	}
	for _, r := range p.Requirements {
		rules := "rules out none"
		if r.RulesOut > 0 {
			rules = "rules out " + terminal.Plural(r.RulesOut, "machine")
		}
		t.Row("needs", r.Wants+": "+rules)
	}
	if p.Nearest != nil {
		t.Row("nearest", p.Nearest.Name+" lacks "+strings.Join(p.Nearest.Lacks, ", "))
	}
	if p.Place != nil {
		place := strconv.Itoa(*p.Place)
		if p.PlaceAtLeast {
			place += " at least"
		}
		t.Row("place in line", place)
	}
	if words := when(p.Start); words != "" {
		t.Row("begins", words)
	}
	if words := when(p.Finish); words != "" {
		t.Row("done", words)
	}
	return out.Table(t)
}
