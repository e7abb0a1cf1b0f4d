package commands

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/address"
	"overcrank/farm/names"
	"overcrank/interval"
)

type templatesAdd struct {
	File string `arg:"" complete:"file" help:"Project (.aep, .aet, .aepx, .zip, .mogrt), or an address from which the farm fetches it."`
	remote
	waitFlags
	Name string `help:"Name of the template. Default: that of the file."`
	Type string `help:"aep, zip or mogrt. Default: by the ending of the file." enum:",aep,zip,mogrt" default:""`
}

func (templatesAdd) Help() string {
	return `Examples:

    overcrank templates add spot.zip --name "Spring spot" --wait
    overcrank templates add https://files.example.com/spot.aep`
}

func (a templatesAdd) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	base := filepath.Base(a.File)
	if !address.IsPath(a.File) {
		base = addressBase(a.File)
	}
	ext := filepath.Ext(base)
	typ := a.Type
	if typ == "" {
		typ = projectType(base)
	}
	if typ == "" {
		return exit.Usagef("what kind of project %s is does not show in its ending; say it with --type aep, zip or mogrt", a.File)
	}
	name := a.Name
	if name == "" {
		name = strings.TrimSuffix(base, ext)
	}
	if err := warnOfTwin(ctx, c, name, out); err != nil {
		return err
	}
	var t client.Template
	if address.IsPath(a.File) {
		b := out.Bar("uploading " + base)
		t, err = c.CreateTemplate(ctx, typ, name, a.File, b.Bytes)
		b.End()
	} else {
		t, err = c.CreateTemplateFrom(ctx, typ, name, a.File)
	}
	if err != nil {
		return err
	}
	return finishTemplate(ctx, c, t, a.waitFlags, a.JSON, out)
}

// projectType is the type of template that a file's ending shows, "" when it shows none. Projects end in .aet, too, which After Effects
// calls templates, and in .aepx, which is XML.
func projectType(name string) string {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".aep", ".aet", ".aepx":
		return "aep"
	case ".zip", ".mogrt":
		return ext[1:]
	}
	return ""
}

// warnOfTwin says that there is a template of the same name: commands that name it will ask which one is meant.
func warnOfTwin(ctx context.Context, c *client.Client, name string, out *terminal.Output) error {
	list, err := c.Templates(ctx)
	if err != nil {
		return err
	}
	for _, t := range list.Items {
		if t.DisplayName == name {
			out.Remark("There is a template '%s' already (%s); now there are two. To give it another file: overcrank templates replace %s FILE", name, t.ID, t.ID)
			return nil
		}
	}
	return nil
}

// addressBase is the last part of an address, without what asks and signs.
func addressBase(address string) string {
	address, _, _ = strings.Cut(address, "?")
	address, _, _ = strings.Cut(address, "#")
	return path.Base(address)
}

// finishTemplate waits, if asked to, until the farm has read a template's file, and prints the template.
func finishTemplate(ctx context.Context, c *client.Client, t client.Template, wait waitFlags, asJSON bool, out *terminal.Output) (err error) {
	if wait.Wait {
		if t, err = awaitTemplate(ctx, c, t.ID, wait); err != nil {
			return err
		}
	}
	if asJSON {
		if err := out.Answer(t.JSON()); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(out, t.ID)
	}
	switch {
	case t.Status == "error" || t.Status == "inactive":
		fmt.Fprintf(out.Errors, "The farm cannot use the project: %s\n", t.Error)
		return exit.Code(exit.Failed)
	case wait.Wait:
		out.Remark("%s: compositions %s; layers %s", t.DisplayName, strings.Join(t.Compositions, ", "), strings.Join(t.Layers, ", "))
	default:
		out.Remark("What it holds: overcrank templates show %s", t.ID)
	}
	return nil
}

// readEvery is how often a template is asked whether it has been read.
const readEvery = 100 * time.Millisecond

// awaitTemplate waits until the farm has read a template's file.
func awaitTemplate(ctx context.Context, c *client.Client, id string, wait waitFlags) (client.Template, error) {
	ctx, cancel := wait.limit(ctx)
	defer cancel()
	for {
		t, err := c.Template(ctx, id)
		if err == nil && t.Settled() {
			return t, nil
		}
		if err != nil && ctx.Err() == nil {
			return t, err
		}
		if interval.Wait(ctx, readEvery) != nil {
			return t, exit.Stopped(ctx, "overcrank templates show "+id)
		}
	}
}

type templatesReplace struct {
	templateRef
	File string `arg:"" type:"existingfile" help:"The new file, of the same type."`
	remote
	waitFlags
}

func (r templatesReplace) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := r.find(ctx, r.remote)
	if err != nil {
		return err
	}
	to, err := c.RenewUpload(ctx, id)
	if err != nil {
		return err
	}
	b := out.Bar("uploading " + filepath.Base(r.File))
	err = c.UploadTemplate(ctx, to, r.File, b.Bytes)
	b.End()
	if err != nil {
		return err
	}
	t, err := c.Template(ctx, id)
	if err != nil {
		return err
	}
	return finishTemplate(ctx, c, t, r.waitFlags, r.JSON, out)
}

type templatesDownload struct {
	templateRef
	remote
	Output string `short:"o" help:"File to write; - for standard output. Default: the template's name, in this folder." type:"path"`
}

func (d templatesDownload) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := d.find(ctx, d.remote)
	if err != nil {
		return err
	}
	a, err := c.TemplateAddress(ctx, id)
	if err != nil {
		return err
	}
	if d.JSON {
		return out.Answer(a.JSON())
	}
	if d.Output == "" {
		t, err := c.Template(ctx, id)
		if err != nil {
			return err
		}
		var files names.Files
		d.Output = files.Name(t.DisplayName, t.ID, "."+t.Type)
	}
	return download(ctx, c, a.URL, d.Output, out)
}

// download writes what is at address to a file and prints its path, or, for "-", to standard output.
func download(ctx context.Context, c *client.Client, address, path string, out *terminal.Output) error {
	if path == "-" {
		return c.DownloadTo(ctx, address, out, nil)
	}
	b := out.Bar("downloading")
	err := c.Download(ctx, address, path, b.Bytes)
	b.End()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, path)
	return err
}
