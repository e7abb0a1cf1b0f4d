package jobs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/localfiles"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/wording"
)

// Join is overcrank join: a job that stitches clips into one film.
type Join struct {
	Clips []string `arg:"" complete:"file" name:"clip" help:"Clips in their order: files of this machine, addresses, or ids of finished jobs."`
	remote.Flags
	resultFlags
	Name   string   `help:"Name of the job."`
	Tag    []string `help:"Tags by which to find the job."`
	DryRun bool     `help:"Print the request instead of sending it; files are not uploaded."`
}

func (Join) Help() string {
	return `Clips that agree in codec, size, rate and pixel format are stitched as they are; others are conformed to the first.

    overcrank join intro.mp4 01J… https://files.example.com/outro.mp4 -o film.mp4`
}

func (j Join) Run(ctx context.Context, out *terminal.Output) error {
	if err := j.check(j.JSON); err != nil {
		return err
	}
	body := map[string]any{"settings": map[string]any{"preset": "mp4"}}
	if j.Name != "" {
		body["name"] = j.Name
	}
	if len(j.Tag) > 0 {
		body["tags"] = j.Tag
	}
	var c *client.Client
	assets := make([]any, len(j.Clips))
	for i, clip := range j.Clips {
		src := clip
		switch _, err := os.Stat(clip); {
		case err == nil || address.IsPath(clip) && !remote.IsID(clip):
			if err != nil {
				return err
			}
			if src, err = filepath.Abs(clip); err != nil {
				return err
			}
		case remote.IsID(clip):
			if c == nil {
				if c, err = j.Client(); err != nil {
					return err
				}
			}
			job, err := c.Job(ctx, clip)
			if err != nil {
				return fmt.Errorf("clip %s: %w", clip, err)
			}
			if job.Status != farm.JobFinished {
				return fmt.Errorf("clip %s: the job is %s, and has no film", clip, wording.Job(job.Status))
			}
			src = job.OutputURL
		}
		assets[i] = map[string]any{"type": "video", "src": src}
	}
	body["assets"] = assets
	if j.DryRun {
		return out.Indented(body)
	}
	if c == nil {
		var err error
		if c, err = j.Client(); err != nil {
			return err
		}
	}
	if err := localfiles.NewSender(c, out).Job(ctx, body, "."); err != nil {
		return err
	}
	job, err := c.Join(ctx, body)
	if err != nil {
		return fmt.Errorf("join: %w", err)
	}
	return j.follow(ctx, c, job, j.JSON, out)
}
