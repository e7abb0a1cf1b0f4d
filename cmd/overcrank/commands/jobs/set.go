package jobs

import (
	"context"
	"fmt"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

type setCommand struct {
	jobRef
	Priority  *int     `help:"Larger goes first within a level: -1000 to 1000." placeholder:"N"`
	Level     string   `help:"rush, normal or overnight." placeholder:"LEVEL" complete:"level"`
	NotBefore string   `help:"Earliest start: a day, a time, or in how long, such as 2027-01-31 or 2h; \"now\" removes it." placeholder:"WHEN"`
	Name      *string  `help:"A name for people." placeholder:"NAME"`
	Tag       []string `help:"Tags that replace those it has." placeholder:"TAG"`
	remote.Flags
}

// Help is for the parser of the command line.
func (setCommand) Help() string {
	return `While a job has not ended. What renders goes on; those nested in the job follow it.

    overcrank jobs set JOB --level rush --priority 100`
}

// change is what the flags ask for.
func (j setCommand) change(now time.Time) (client.JobChange, error) {
	change := client.JobChange{}
	if j.Priority != nil {
		change["priority"] = *j.Priority
	}
	if j.Level != "" {
		change["level"] = j.Level
	}
	if j.Name != nil {
		change["name"] = *j.Name
	}
	if len(j.Tag) > 0 {
		change["tags"] = j.Tag
	}
	switch j.NotBefore {
	case "":
	case "now":
		change["notBefore"] = nil
	default:
		at, err := remote.TimeToCome("not-before", j.NotBefore, now)
		if err != nil {
			return nil, err
		}
		change["notBefore"] = at.UTC().Format(time.RFC3339)
	}
	if len(change) == 0 {
		return nil, exit.Usagef("nothing is to be changed: give --priority, --level, --not-before, --name or --tag")
	}
	return change, nil
}

// Run changes a job.
func (j setCommand) Run(ctx context.Context, out *terminal.Output) error {
	change, err := j.change(time.Now())
	if err != nil {
		return err
	}
	c, err := j.Client()
	if err != nil {
		return err
	}
	id, err := j.id(ctx, c)
	if err != nil {
		return err
	}
	job, err := c.ChangeJob(ctx, id, change)
	return j.Print(out, job, err, func() error {
		words := fmt.Sprintf("%s %s, priority %d", job.ID, job.Level, job.Priority)
		if job.NotBefore != "" {
			words += ", not before " + terminal.LocalTime(job.NotBefore)
		}
		_, err = fmt.Fprintln(out, words)
		return err
	})
}
