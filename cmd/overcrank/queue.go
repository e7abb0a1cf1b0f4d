package main

import (
	"context"
	"strconv"

	"overcrank/cmd/overcrank/terminal"
)

type queueCommand struct {
	Limit int `help:"At most so many." default:"20"`
	remote
}

// Help is for the parser of the command line.
func (queueCommand) Help() string {
	return `The tasks that wait for a machine, in the order in which they are likely to begin. Of other teams' work only the place is shown.

    overcrank queue --limit 100
    overcrank jobs set JOB --level rush          # puts a job elsewhere in line
    overcrank jobs why JOB                       # says what a job waits for`
}

// Run lists who is next.
func (q queueCommand) Run(ctx context.Context, out *output) error {
	c, err := q.client()
	if err != nil {
		return err
	}
	if q.Limit < 1 {
		return usagef("--limit is %d: it has to be 1 at least", q.Limit)
	}
	entries, err := c.Queue(ctx, q.Limit)
	if err != nil {
		return err
	}
	if q.JSON {
		return out.answer(entries.JSON())
	}
	if len(entries.Items) == 0 {
		out.remark("Nothing waits for a machine.")
		return nil
	}
	templates := namesOfTemplates(ctx, c)
	t := terminal.NewTable("PLACE", "LEVEL", "PRIORITY", "SINCE", "TASK", "KIND", "NAME", "TEMPLATE", "COMPOSITION")
	for _, e := range entries.Items {
		task, priority := "another team's", ""
		if e.Task != nil {
			task = *e.Task
		}
		if e.Priority != nil {
			priority = strconv.Itoa(*e.Priority)
		}
		t.Row(strconv.Itoa(e.Place), e.Level, priority, localTime(e.Since), task, given(e.Kind), given(e.JobName), templates.of(e.TemplateID), given(e.Composition))
	}
	if err := out.table(t); err != nil {
		return err
	}
	if entries.Next != "" {
		out.remark("There are more: --limit shows them.")
	}
	return nil
}

// given is a text that may be missing.
func given(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
