package jobs

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// resultFlags are for commands that submit one job.
type resultFlags struct {
	remote.Waiting
	Output string `short:"o" help:"Wait and write the result to this file; - for standard output." type:"path"`
}

// check says now, rather than when the film is there, that it cannot be written.
func (f resultFlags) check(asJSON bool) error {
	switch {
	case f.Output == "-" && asJSON:
		return exit.Usagef("--json and --output - both write to standard output; give one of them")
	case f.Output == "" || f.Output == "-":
		return nil
	}
	if _, err := os.Stat(filepath.Dir(f.Output)); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	return nil
}

// follow does what a caller wants of a job that was submitted: print it, or wait for it, fetch its result and say how it ended.
func (f resultFlags) follow(ctx context.Context, c *client.Client, job client.Job, asJSON bool, out *terminal.Output) error {
	if len(job.MissingFonts) > 0 {
		out.Remark("Fonts that the farm does not have and will substitute: %s", strings.Join(job.MissingFonts, ", "))
	}
	for _, warning := range job.Warnings {
		out.Remark("Note: %s", warning)
	}
	if !f.Wait && f.Output == "" {
		if asJSON {
			return out.Answer(job.JSON())
		}
		fmt.Fprintln(out, job.ID)
		out.Remark("Result: %s\nFollow it with: overcrank logs -f %s", job.OutputURL, job.ID)
		return nil
	}
	limited, cancel := f.Bound(ctx)
	defer cancel()
	jobs, err := Watch(limited, c, []string{job.ID}, out)
	if err != nil {
		return err
	}
	if asJSON {
		if err := out.Answer(jobs[0].JSON()); err != nil {
			return err
		}
		out = &terminal.Output{Writer: io.Discard, Errors: out.Errors, Quiet: out.Quiet}
	}
	if err := tellFailures(jobs, out); err != nil {
		return err
	}
	if f.Output != "" {
		return remote.Download(ctx, c, jobs[0].OutputURL, f.Output, out)
	}
	_, err = fmt.Fprintln(out, jobs[0].OutputURL)
	return err
}

// tellFailures says which jobs did not end well; it is the exit code 1 when there are some.
func tellFailures(jobs []client.Job, out *terminal.Output) error {
	failed := false
	for _, job := range jobs {
		if job.Status == farm.JobFinished {
			continue
		}
		failed = true
		why := ""
		if job.Stats.Error != "" {
			why = ": " + job.Stats.Error
		}
		fmt.Fprintf(out.Errors, "Job %s %s%s\nIts log: overcrank logs %s\n", job.ID, wording.Job(job.Status), terminal.Lines(why), job.ID)
	}
	if failed {
		return exit.Code(exit.Failed)
	}
	return nil
}
