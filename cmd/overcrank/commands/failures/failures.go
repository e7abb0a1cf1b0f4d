// Package failures has the commands about jobs that failed and still need somebody.
package failures

import (
	"context"
	"fmt"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// Failures are the commands below overcrank failures.
type Failures struct {
	List    list    `cmd:"" default:"withargs" help:"List why jobs failed that still need somebody."`
	Show    show    `cmd:"" help:"List the jobs of one cause."`
	Retry   retry   `cmd:"" help:"Submit all jobs of a cause again."`
	Dismiss dismiss `cmd:"" help:"Take all jobs of a cause off the list."`
}

type list struct{ remote.Flags }

// Run lists causes, the latest first.
func (l list) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	groups, err := c.Failures(ctx)
	return l.Print(out, groups, err, func() error {
		if len(groups.Items) == 0 {
			out.Remark("No job needs you.")
			return nil
		}
		t := terminal.NewTable("CAUSE", "WHAT", "JOBS", "LATEST")
		for _, g := range groups.Items {
			cause, _ := farm.CauseOf(g.Cause)
			t.Row(g.Cause, wording.CauseKind(cause.Kind), fmt.Sprint(g.Count), terminal.LocalTime(g.LastAt))
		}
		return out.Table(t)
	})
}

type show struct {
	Cause string `arg:"" help:"As overcrank failures lists it, such as footage:nm.png."`
	remote.Flags
}

// Run lists the jobs of a cause, the latest first.
func (s show) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	jobs, err := c.FailedJobs(ctx, s.Cause)
	return s.Print(out, jobs, err, func() error {
		t := terminal.NewTable("ID", "NAME", "BY", "FAILED", "ERROR")
		for _, j := range jobs.Items {
			t.Row(j.ID, j.Name, j.By, terminal.LocalTime(j.FailedAt), j.Error)
		}
		return out.Table(t)
	})
}

type retry struct {
	Cause string `arg:"" help:"As overcrank failures lists it, such as footage:nm.png."`
	File  string `help:"File that each job gets in the place of the missing footage." type:"existingfile"`
	remote.Flags
}

// Help is for the parser of the command line.
func (retry) Help() string {
	return `The jobs become a batch. Those whose particulars the farm no longer keeps are refused and stay on the list.

    overcrank failures retry footage:nm.png --file art/nm.png`
}

// Run submits all jobs of a cause again.
func (r retry) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	src := ""
	if r.File != "" {
		if src, err = c.PutFile(ctx, r.File, nil); err != nil {
			return err
		}
	}
	made, err := c.RetryFailures(ctx, r.Cause, src)
	return r.Print(out, made, err, func() error {
		if made.Refused > 0 {
			out.Remark("%s could not be submitted again.", terminal.Plural(made.Refused, "job"))
		}
		_, err := fmt.Fprintf(out, "batch %s, %s\n", made.BatchID, terminal.Plural(made.Jobs, "job"))
		return err
	})
}

type dismiss struct {
	Cause string `arg:"" help:"As overcrank failures lists it."`
	remote.Flags
}

// Run takes all jobs of a cause off the list, some hundred at a time.
func (d dismiss) Run(ctx context.Context, out *terminal.Output) error {
	c, err := d.Client()
	if err != nil {
		return err
	}
	all := 0
	for {
		jobs, err := c.FailedJobs(ctx, d.Cause)
		if err != nil {
			return err
		}
		if len(jobs.Items) == 0 {
			_, err := fmt.Fprintf(out, "%s dismissed\n", terminal.Plural(all, "job"))
			return err
		}
		ids := make([]string, len(jobs.Items))
		for i, j := range jobs.Items {
			ids[i] = j.ID
		}
		if err := c.DismissFailures(ctx, ids); err != nil {
			return err
		}
		all += len(ids)
	}
}
