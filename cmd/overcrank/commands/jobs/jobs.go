// Package jobs has the commands about one job or several: jobs, submit, join and logs.
package jobs

import (
	"context"
	"net/url"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/wording"
)

// Commands are those below overcrank jobs.
type Commands struct {
	List     listCommand        `cmd:"" default:"withargs" help:"List jobs, newest first."`
	Show     showCommand        `cmd:"" help:"Show one job."`
	Submit   Submit             `cmd:"" help:"Submit a job: the same as overcrank submit."`
	Logs     Logs               `cmd:"" help:"Print the log of a job: the same as overcrank logs."`
	Wait     waitCommand        `cmd:"" help:"Wait until jobs have ended."`
	Download downloadCommand    `cmd:"" help:"Download the results of jobs."`
	Why      whyCommand         `cmd:"" help:"Show what a job waits for, and for how long."`
	Tasks    tasksCommand       `cmd:"" help:"List the tasks of a job."`
	Attempts attemptsCommand    `cmd:"" help:"List the attempts at the tasks of a job, and their outcomes."`
	Set      setCommand         `cmd:"" help:"Change the priority, level, earliest start, name or tags of a job."`
	Samples  samplesCommand     `cmd:"" help:"List the sample frames of a job, and download them."`
	Approve  approveCommand     `cmd:"" help:"Approve jobs by their sample frames: the rest is rendered."`
	Reject   rejectCommand      `cmd:"" help:"Reject a job by its sample frames: it ends."`
	Again    renderAgainCommand `cmd:"" name:"render-again" help:"Render frames of a job again."`
	Release  releaseCommand     `cmd:"" help:"Release held jobs."`
	Hold     holdCommand        `cmd:"" help:"Keep jobs back until they are released; machines finish what they have begun."`
	Cancel   cancelCommand      `cmd:"" help:"Cancel jobs."`
}

// jobRef is a job on the command line.
type jobRef struct {
	Job string `arg:"" name:"job" help:"Id of the job, or its name." complete:"job"`
}

// id is the id of the job.
func (j jobRef) id(ctx context.Context, c *client.Client) (string, error) { return Find(ctx, c, j.Job) }

// newestNamed is how many of the newest jobs are looked through for a name.
const newestNamed = 1000

// Find is the id of the job that ref names, by its id or its name.
func Find(ctx context.Context, c *client.Client, ref string) (string, error) {
	return remote.Find(ctx, "job", ref, func(ctx context.Context) (client.List[client.Job], error) {
		return c.Jobs(ctx, url.Values{"sort": {"newest_first"}, "minimal": {"true"}}, newestNamed)
	})
}

// findAll is Find for several jobs.
func findAll(ctx context.Context, c *client.Client, refs []string) ([]string, error) {
	ids := make([]string, len(refs))
	for i, ref := range refs {
		id, err := Find(ctx, c, ref)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// Remark is the one thing about a job that a line of a table has room for.
func Remark(j client.Job) string {
	if why := j.Stats.Error; why != "" {
		return terminal.FirstLine(why)
	}
	if j.Stats.RenderDuration != nil && j.Status == "finished" {
		return "took " + wording.Seconds(*j.Stats.RenderDuration)
	}
	return ""
}
