package jobs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type samplesCommand struct {
	jobRef
	remote.Flags
	Out string `help:"Folder for the frames, as PNG files; made when it is not there." placeholder:"DIR" type:"path"`
}

func (samplesCommand) Help() string {
	return `The frames that a job submitted with --preview-first or --approve renders before the rest.

    overcrank jobs samples 'Spring spot' --out look
    overcrank jobs approve 'Spring spot'`
}

// Run lists the sample frames of a job, and keeps them.
func (s samplesCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	id, err := s.id(ctx, c)
	if err != nil {
		return err
	}
	list, err := c.Samples(ctx, id)
	if err != nil {
		return err
	}
	file := func(frame int) string { return filepath.Join(s.Out, fmt.Sprintf("frame-%d.png", frame)) }
	if s.Out != "" {
		if err := os.MkdirAll(s.Out, 0o755); err != nil {
			return err
		}
		for _, sample := range list.Items {
			if err := c.Download(ctx, sample.URL, file(sample.Frame), nil); err != nil {
				return err
			}
		}
	}
	if s.JSON {
		return out.Answer(list.JSON())
	}
	if len(list.Items) == 0 {
		out.Remark("No sample frames yet. Only jobs submitted with --preview-first or --approve have them.")
		return nil
	}
	t := terminal.NewTable("FRAME", "SIZE", "WHERE")
	for _, sample := range list.Items {
		where := sample.URL
		if s.Out != "" {
			where = file(sample.Frame)
		}
		t.Row(fmt.Sprint(sample.Frame), fmt.Sprintf("%d kB", (sample.Size+999)/1000), where)
	}
	return out.Table(t)
}
