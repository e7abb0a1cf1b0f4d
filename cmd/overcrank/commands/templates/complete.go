package templates

import (
	"context"
	"path/filepath"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type completeCommand struct {
	templateRef
	Files []string `arg:"" name:"file" type:"existingfile" help:"Files that the template lacks, called as in the project."`
	remote.Flags
	remote.Waiting
}

func (completeCommand) Help() string {
	return `Which files a template lacks: overcrank templates show TEMPLATE. They are put into its archive, or with its project into one, which
becomes the template's next version. Jobs that were submitted before keep theirs.

Example:

    overcrank templates complete "Spring spot" footage/logo.png footage/plate.mov --wait`
}

func (f completeCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := f.find(ctx, f.Flags)
	if err != nil {
		return err
	}
	var files []client.AddedFile
	for _, path := range f.Files {
		base := filepath.Base(path)
		b := out.Bar("uploading " + base)
		kept, err := c.KeepFile(ctx, path, b.Bytes)
		b.End()
		if err != nil {
			return err
		}
		files = append(files, client.AddedFile{Name: base, Src: kept.Src})
	}
	if _, err := c.CompleteTemplate(ctx, id, files); err != nil {
		return err
	}
	t, err := c.Template(ctx, id)
	if err != nil {
		return err
	}
	return finishTemplate(ctx, c, t, f.Waiting, f.JSON, out)
}
