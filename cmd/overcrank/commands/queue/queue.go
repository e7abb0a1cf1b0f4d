// Package queue has the commands about the work of the whole farm: what waits, how it is served (farm, levels, limits), and what happens (events).
package queue

import (
	"context"
	"strconv"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/commands/templates"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

// Queue is overcrank queue: the tasks that wait for a machine.
type Queue struct {
	Limit int `help:"Maximum number to list." default:"20"`
	remote.Flags
}

// Help is for the parser of the command line.
func (Queue) Help() string {
	return `The tasks that wait for a machine, in the order in which they are likely to begin. Of other teams' work only the place is shown.

    overcrank queue --limit 100
    overcrank jobs set JOB --level rush          # puts a job elsewhere in line
    overcrank jobs why JOB                       # says what a job waits for`
}

// Run lists who is next.
func (q Queue) Run(ctx context.Context, out *terminal.Output) error {
	c, err := q.Client()
	if err != nil {
		return err
	}
	if q.Limit < 1 {
		return exit.Usagef("--limit is %d: it has to be 1 at least", q.Limit)
	}
	entries, err := c.Queue(ctx, q.Limit)
	return q.Print(out, entries, err, func() error {
		if len(entries.Items) == 0 {
			out.Remark("Nothing waits for a machine.")
			return nil
		}
		named := templates.ReadNames(ctx, c)
		t := terminal.NewTable("PLACE", "LEVEL", "PRIORITY", "SINCE", "TASK", "KIND", "NAME", "TEMPLATE", "COMPOSITION")
		for _, e := range entries.Items {
			task, priority := "another team's", ""
			if e.Task != "" {
				task = e.Task
			}
			if e.Priority != nil {
				priority = strconv.Itoa(*e.Priority)
			}
			t.Row(strconv.Itoa(e.Place), e.Level, priority, terminal.LocalTime(e.Since), task, e.Kind, e.JobName, named.Of(e.TemplateID), e.Composition)
		}
		if err := out.Table(t); err != nil {
			return err
		}
		if entries.Next != "" {
			out.Remark("There are more: --limit shows them.")
		}
		return nil
	})
}
