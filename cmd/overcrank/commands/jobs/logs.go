package jobs

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/wording"
	"overcrank/interval"
)

// Logs is overcrank logs: the log of a job.
type Logs struct {
	jobRef
	remote.Farm
	Follow bool `short:"f" help:"Print on until the job has ended."`
}

// followEvery is how often a followed log is asked for news.
const followEvery = 400 * time.Millisecond

// Run prints the log of a job.
func (l Logs) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	id, err := l.id(ctx, c)
	if err != nil {
		return err
	}
	if !l.Follow {
		_, err := c.Log(ctx, id, 0, out)
		if client.IsStatus(err, http.StatusNotFound) {
			return explainMissing(ctx, c, id, err)
		}
		return err
	}
	var offset int64
	for {
		// The state is read before the log, so that a job seen as ended has its last lines printed.
		job, err := c.Job(ctx, id)
		if err != nil {
			return err
		}
		next, err := c.Log(ctx, id, offset, out)
		if err != nil && !client.IsStatus(err, http.StatusNotFound) && next <= offset {
			return err
		}
		offset = max(offset, next) // of a log that broke off, what came of it
		if job.Status.Ended() {
			return nil
		}
		if err := interval.Wait(ctx, followEvery); err != nil {
			return err
		}
	}
}

// explainMissing tells a job that has no log yet from one that does not exist.
func explainMissing(ctx context.Context, c *client.Client, id string, notFound error) error {
	job, err := c.Job(ctx, id)
	if err != nil {
		return notFound
	}
	return fmt.Errorf("job %s (%s) has no log yet", id, wording.Job(job.Status))
}
