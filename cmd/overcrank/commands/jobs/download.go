package jobs

import (
	"context"
	"fmt"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

type downloadCommand struct {
	Jobs []string `arg:"" name:"job" help:"Jobs whose results are wanted." complete:"job"`
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
	if d.Output != "" && len(d.Jobs) > 1 {
		return exit.Usagef("--output is for one job; give --dir for %d", len(d.Jobs))
	}
	ids, err := findAll(ctx, c, d.Jobs)
	if err != nil {
		return err
	}
	jobs, err := d.jobs(ctx, c, ids, out)
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
		if job.Status != farm.JobFinished {
			continue
		}
		if err := folder.Fetch(ctx, c, job.OutputURL, job.Name, job.ID, out); err != nil {
			return err
		}
	}
	return tellFailures(jobs, out)
}

// jobs are the jobs whose results are wanted, which have ended: it waits for them with --wait, and else fails.
func (d downloadCommand) jobs(ctx context.Context, c *client.Client, ids []string, out *terminal.Output) ([]client.Job, error) {
	if d.Wait {
		limited, cancel := d.Bound(ctx)
		defer cancel()
		return Watch(limited, c, ids, out)
	}
	jobs := make([]client.Job, len(ids))
	for i, id := range ids {
		job, err := c.Job(ctx, id)
		if err != nil {
			return nil, err
		}
		if !job.Status.Ended() {
			return nil, fmt.Errorf("job %s has no result yet: it is %s (--wait waits for it)", id, wording.Job(job.Status))
		}
		jobs[i] = job
	}
	return jobs, nil
}
