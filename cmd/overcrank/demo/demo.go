package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"overcrank/agent/film"
	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/jobs"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/commands/templates"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/cmd/overcrank/titlecard"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wording"
)

type Command struct {
	Dir  string `help:"Folder for the farm of the demo and its film." default:"overcrank-demo" type:"path"`
	Keep bool   `help:"Leave the farm up, and print the address of its dashboard, signed in."`
}

// Run shows the way of a job from end to end: template, job, film.
func (d *Command) Run(ctx context.Context, out *terminal.Output) (err error) {
	if err := os.MkdirAll(d.Dir, 0o755); err != nil {
		return err
	}
	farm, err := startFarm(ctx, d.Dir, out)
	if err != nil {
		return err
	}
	defer func() {
		if !d.Keep || err != nil {
			err = errors.Join(err, farm.stop())
		}
	}()
	template, err := d.uploadTemplate(ctx, farm.client, out)
	if err != nil {
		return err
	}
	job, err := d.submit(ctx, farm.client, template, out)
	if err != nil {
		return err
	}
	path := filepath.Join(d.Dir, "title-card.mp4")
	if err := farm.client.Download(ctx, job.OutputURL, path, nil); err != nil {
		return err
	}
	if err := d.check(ctx, path, out); err != nil {
		return err
	}
	if !d.Keep {
		return nil
	}
	link, err := farm.client.SignInLink(ctx)
	if err != nil {
		return fmt.Errorf("make a sign-in link: %w", err)
	}
	fmt.Fprintf(out, "\nThe farm stays up. Its dashboard, signed in (the link works once):\n  %s\nStop it with: kill %d\n", link, farm.process.PID)
	return nil
}

// uploadTemplate makes the project and registers it.
func (d *Command) uploadTemplate(ctx context.Context, c *client.Client, out *terminal.Output) (client.Template, error) {
	path := filepath.Join(d.Dir, "Title Card.zip")
	if err := writeTo(path, titlecard.WriteZip); err != nil {
		return client.Template{}, err
	}
	fmt.Fprintf(out, "Made an After Effects project: %s\n", path)
	b := out.Bar("uploading")
	t, err := c.CreateTemplate(ctx, "zip", "Title Card", path, b.Bytes)
	b.End()
	if err != nil {
		return t, err
	}
	if t, err = templates.Await(ctx, c, t.ID, remote.Waiting{}, out); err != nil {
		return t, err
	}
	if t.Status != farm.TemplateUploaded {
		return t, fmt.Errorf("the farm could not read the project: %s", t.Error)
	}
	fmt.Fprintf(out, "The farm read it: compositions %s; layers %s\n", strings.Join(t.Compositions, ", "), strings.Join(t.Layers, ", "))
	return t, nil
}

// submit orders the card with other words, another colour and another picture, and waits for the film.
func (d *Command) submit(ctx context.Context, c *client.Client, t client.Template, out *terminal.Output) (client.Job, error) {
	picture := filepath.Join(d.Dir, "night.png")
	err := writeTo(picture, func(w io.Writer) error { return png.Encode(w, titlecard.Picture(titlecard.Night)) })
	if err != nil {
		return client.Job{}, err
	}
	src, err := c.PutFile(ctx, picture, nil)
	if err != nil {
		return client.Job{}, err
	}
	job, err := c.Submit(ctx, map[string]any{
		"name":     "Title card, by night",
		"template": map[string]string{"id": t.ID, "composition": titlecard.Composition},
		"assets": []map[string]any{
			{"type": "text", "layerName": titlecard.TitleLayer, "value": "Night Shift"},
			{"type": "text", "layerName": titlecard.SubtitleLayer, "value": "Rendered without any Adobe software"},
			{"type": "function", "name": "nx:solid-color-set", "params": map[string]any{"layerName": titlecard.AccentLayer, "color": []float64{0.36, 0.92, 0.78}}},
			{"type": "image", "layerName": titlecard.PictureLayer, "src": src},
		},
	})
	if err != nil {
		return job, fmt.Errorf("submit: %w", err)
	}
	fmt.Fprintf(out, "Submitted job %s: words, colour and picture changed\n", job.ID)
	jobs, err := jobs.Watch(ctx, c, []string{job.ID}, out)
	if err != nil {
		return job, err
	}
	job = jobs[0]
	if job.Status != farm.JobFinished {
		return job, fmt.Errorf("the job ended as %s: %s (the farm's own log is %s)", wording.Job(job.Status), cmp.Or(job.Stats.Error, "no reason given"), filepath.Join(d.Dir, farmLog))
	}
	return job, nil
}

// check looks into the film: it must be what was ordered.
func (d *Command) check(ctx context.Context, path string, out *terminal.Output) error {
	info, err := film.Probe(ctx, path)
	if err != nil {
		return fmt.Errorf("check the film: %w", err)
	}
	if info.Width != titlecard.Width || info.Height != titlecard.Height || info.Frames != titlecard.Frames || !info.Audio {
		return fmt.Errorf("the film is %d × %d with %d frames (sound: %v), not %d × %d with %d and sound",
			info.Width, info.Height, info.Frames, info.Audio, titlecard.Width, titlecard.Height, titlecard.Frames)
	}
	fmt.Fprintf(out, "\nThe film: %s\n  %d × %d, %d frames, %.2f s, %s, with sound\n", path, info.Width, info.Height, info.Frames, info.Duration, info.Codec)
	return nil
}

// writeTo writes a file that appears only when it is whole.
func writeTo(path string, write func(io.Writer) error) error {
	if err := durable.Write(path, 0o644, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
