package jobs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// The waits between two looks at jobs: several are each asked for less often than one.
const (
	soon      = 250 * time.Millisecond
	everyOne  = soon
	everyMany = 2 * time.Second
)

// askWhyEvery is after how many looks a job that waits is asked why: most start at once.
const askWhyEvery = 4

// Watch shows a bar until all jobs have ended, and gives them in the order of their ids.
func Watch(ctx context.Context, c *client.Client, ids []string, out *terminal.Output) ([]client.Job, error) {
	bar := out.Bar("rendering")
	defer bar.End()
	jobs, every := make([]client.Job, len(ids)), everyOne
	if len(ids) > 1 {
		every = everyMany
	}
	looks, waitsFor := 0, ""
	err := remote.Until(ctx, soon, every, "overcrank jobs wait "+strings.Join(ids, " "), func() (done bool, err error) {
		for i, id := range ids {
			if !jobs[i].Status.Ended() {
				if jobs[i], err = c.Job(ctx, id); err != nil {
					return false, err
				}
			}
		}
		ended, percent := progress(jobs)
		if ended == len(jobs) {
			return true, nil
		}
		words := fmt.Sprintf("%d of %d done", ended, len(jobs))
		if len(jobs) == 1 {
			words = wording.Job(jobs[0].Status)
			if looks++; looks%askWhyEvery == 0 && jobs[0].Status == farm.JobQueued {
				if why, err := c.Why(ctx, ids[0]); err == nil && why != waitsFor && !out.Quiet {
					waitsFor = why
					bar.Say(why)
				}
			}
		}
		bar.Set(percent, words)
		return false, nil
	})
	return jobs, err
}

// progress is how many of some jobs have ended, and how far they are together, 0 to 100.
func progress(jobs []client.Job) (ended int, percent float64) {
	for _, job := range jobs {
		if job.Status.Ended() {
			ended++
			percent += 100
		} else {
			percent += job.Progress
		}
	}
	return ended, percent / float64(max(1, len(jobs)))
}

type waitCommand struct {
	Jobs []string `arg:"" name:"job" help:"Jobs to wait for." complete:"job"`
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
	ids, err := findAll(ctx, c, w.Jobs)
	if err != nil {
		return err
	}
	limited, cancel := remote.Limited(ctx, w.Timeout)
	defer cancel()
	jobs, err := Watch(limited, c, ids, out)
	if err != nil {
		return err
	}
	if w.JSON {
		err = out.Answers(remote.Texts(jobs))
	} else {
		for _, job := range jobs {
			fmt.Fprintf(out, "%s %s\n", job.ID, wording.Job(job.Status))
		}
	}
	if err != nil {
		return err
	}
	return tellFailures(jobs, out)
}
