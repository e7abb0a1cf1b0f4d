package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/interval"
)

const (
	// watchEvery is how often a watched job is asked for; of many, each is asked less often.
	watchEvery     = 250 * time.Millisecond
	watchManyEvery = 2 * time.Second
	// askWhyAfter is how many looks a job may wait before it is asked why: most start at once.
	askWhyAfter = 4
)

// Watch shows a bar until all jobs have ended, and gives them in the order of their ids.
func Watch(ctx context.Context, c *client.Client, ids []string, out *terminal.Output) ([]client.Job, error) {
	b := out.Bar("rendering")
	defer b.End()
	goOn := "overcrank jobs wait " + strings.Join(ids, " ")
	jobs, every := make([]client.Job, len(ids)), watchEvery
	if len(ids) > 1 {
		every = watchManyEvery
	}
	waitedFor := ""
	for asked := 0; ; asked++ {
		ended, progress := 0, 0.0
		for i, id := range ids {
			if !jobs[i].Ended() {
				job, err := c.Job(ctx, id)
				if ctx.Err() != nil {
					return jobs, exit.Stopped(ctx, goOn)
				}
				if err != nil {
					return jobs, err
				}
				jobs[i] = job
			}
			if jobs[i].Ended() {
				ended++
				progress += 100
			} else {
				progress += jobs[i].Progress
			}
		}
		if ended == len(jobs) {
			return jobs, nil
		}
		word := fmt.Sprintf("%d of %d done", ended, len(jobs))
		if len(jobs) == 1 {
			word = wording.Job(farm.JobStatus(jobs[0].Status))
			if jobs[0].Status == "queued" && asked >= askWhyAfter && asked%askWhyAfter == 0 {
				if why, err := c.Why(ctx, ids[0]); err == nil && why != waitedFor {
					waitedFor = why
					if !out.Quiet {
						b.Say(why)
					}
				}
			}
		}
		b.Set(progress/float64(len(jobs)), word)
		if interval.Wait(ctx, every) != nil {
			return jobs, exit.Stopped(ctx, goOn)
		}
	}
}

// tellFailures says which jobs did not end well; it is the exit code 1 when there are some.
func tellFailures(jobs []client.Job, out *terminal.Output) error {
	failed := false
	for _, job := range jobs {
		if job.Status == "finished" {
			continue
		}
		failed = true
		why := ""
		if said := job.Stats.Why(); said != "" {
			why = ": " + said
		}
		fmt.Fprintf(out.Errors, "Job %s %s%s\nIts log: overcrank logs %s\n", job.ID, wording.Job(farm.JobStatus(job.Status)), terminal.Lines(why), job.ID)
	}
	if failed {
		return exit.Code(exit.Failed)
	}
	return nil
}

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

type waitCommand struct {
	IDs []string `arg:"" name:"job" help:"Jobs to wait for." complete:"job"`
	remote.Flags
	Timeout time.Duration `help:"How long at most, such as 90s or 2h; the jobs go on." placeholder:"DURATION"`
}

func (waitCommand) Help() string {
	return `The exit code is 0 when all jobs have finished, 1 when one failed or was cancelled, 6 when --timeout passed.
With --json, one job is printed as an object, several as an array.`
}

func (w waitCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := w.Client()
	if err != nil {
		return err
	}
	limited, cancel := remote.Limited(ctx, w.Timeout)
	defer cancel()
	jobs, err := Watch(limited, c, w.IDs, out)
	if err != nil {
		return err
	}
	if w.JSON {
		if err := out.Answers(texts(jobs)); err != nil {
			return err
		}
	} else {
		for _, job := range jobs {
			fmt.Fprintf(out, "%s %s\n", job.ID, wording.Job(farm.JobStatus(job.Status)))
		}
	}
	return tellFailures(jobs, out)
}

func texts(jobs []client.Job) []json.RawMessage {
	out := make([]json.RawMessage, len(jobs))
	for i, job := range jobs {
		out[i] = job.JSON()
	}
	return out
}

type downloadCommand struct {
	IDs []string `arg:"" name:"job" help:"Jobs whose results are wanted." complete:"job"`
	remote.Farm
	remote.Waiting
	Output    string `short:"o" help:"File to write, of one job; - for standard output." type:"path"`
	Dir       string `help:"Folder to write to; each file is called as its job is, or else by its id." type:"path" default:"."`
	Overwrite bool   `help:"With --dir: write over files that are there already."`
}

func (downloadCommand) Help() string {
	return `Examples:

    overcrank jobs download 01J… -o spot.mp4
    overcrank jobs download 01J… 01K… --dir films --wait`
}

func (d downloadCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := d.Client()
	if err != nil {
		return err
	}
	if d.Output != "" && len(d.IDs) > 1 {
		return exit.Usagef("--output is for one job; give --dir for %d", len(d.IDs))
	}
	jobs := make([]client.Job, len(d.IDs))
	if d.Wait {
		limited, cancel := d.Bound(ctx)
		defer cancel()
		jobs, err = Watch(limited, c, d.IDs, out)
	} else {
		for i, id := range d.IDs {
			if jobs[i], err = c.Job(ctx, id); err == nil && !jobs[i].Ended() {
				err = fmt.Errorf("job %s has no result yet: it is %s (--wait waits for it)", id, wording.Job(farm.JobStatus(jobs[i].Status)))
			}
			if err != nil {
				break
			}
		}
	}
	if err != nil {
		return err
	}
	if d.Output != "" {
		if err := tellFailures(jobs, out); err != nil {
			return err
		}
		return remote.Download(ctx, c, jobs[0].OutputURL, d.Output, out)
	}
	folder := remote.Folder{Dir: d.Dir, Overwrite: d.Overwrite}
	for _, job := range jobs {
		if job.Status != "finished" {
			continue
		}
		if err := folder.Fetch(ctx, c, job.OutputURL, job.Name, job.ID, out); err != nil {
			return err
		}
	}
	return tellFailures(jobs, out)
}
