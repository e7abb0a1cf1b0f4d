package templates

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/address"
	"overcrank/farm/names"
)

type addCommand struct {
	File string `arg:"" complete:"file" help:"Project (.aep, .aet, .aepx, .zip, .mogrt), or an address from which the farm fetches it."`
	remote.Flags
	remote.Waiting
	Name string `help:"Name of the template. Default: that of the file."`
	Type string `help:"aep, zip or mogrt. Default: by the ending of the file." enum:",aep,zip,mogrt" default:""`
}

func (addCommand) Help() string {
	return `Examples:

    overcrank templates add spot.zip --name "Spring spot" --wait
    overcrank templates add https://files.example.com/spot.aep`
}

func (a addCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	base := filepath.Base(a.File)
	if !address.IsPath(a.File) {
		base = remote.AddressBase(a.File)
	}
	ext := filepath.Ext(base)
	typ := a.Type
	if typ == "" {
		typ = ProjectType(base)
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
	return finishTemplate(ctx, c, t, a.Waiting, a.JSON, out)
}

// ProjectType is the type of template that a file's ending shows, "" when it shows none. Projects end in .aet, too, which After Effects
// calls templates, and in .aepx, which is XML.
func ProjectType(name string) string {
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

// finishTemplate waits, if asked to, until the farm has read a template's file, and prints the template.
func finishTemplate(ctx context.Context, c *client.Client, t client.Template, wait remote.Waiting, asJSON bool, out *terminal.Output) (err error) {
	if wait.Wait {
		if t, err = Await(ctx, c, t.ID, wait, out); err != nil {
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

// Await waits until the farm has read a template's file. A remark says so when somebody has to act before that.
func Await(ctx context.Context, c *client.Client, id string, wait remote.Waiting, out *terminal.Output) (t client.Template, err error) {
	ctx, cancel := wait.Bound(ctx)
	defer cancel()
	told := ""
	err = remote.Until(ctx, readEvery, readEvery, "overcrank templates show "+id, func() (bool, error) {
		t, err = c.Template(ctx, id)
		if t.Waits != "" && t.Waits != told {
			told = t.Waits
			out.Remark("The project has not been read yet. %s", told)
		}
		return t.Settled(), err
	})
	return t, err
}

type replaceCommand struct {
	templateRef
	File string `arg:"" type:"existingfile" help:"The new file, of the same type."`
	remote.Flags
	remote.Waiting
}

func (r replaceCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := r.find(ctx, r.Flags)
	if err != nil {
		return err
	}
	b := out.Bar("uploading " + filepath.Base(r.File))
	t, err := c.ReplaceTemplate(ctx, id, r.File, b.Bytes)
	b.End()
	if err != nil {
		return err
	}
	return finishTemplate(ctx, c, t, r.Waiting, r.JSON, out)
}

type downloadCommand struct {
	templateRef
	remote.Flags
	Output string `short:"o" help:"File to write; - for standard output. Default: the template's name, in this folder." type:"path"`
}

func (d downloadCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := d.find(ctx, d.Flags)
	if err != nil {
		return err
	}
	a, err := c.TemplateAddress(ctx, id)
	return d.Print(out, a, err, func() error {
		if d.Output == "" {
			t, err := c.Template(ctx, id)
			if err != nil {
				return err
			}
			var files names.Files
			d.Output = files.Name(t.DisplayName, t.ID, "."+t.Type)
		}
		return remote.Download(ctx, c, a.URL, d.Output, out)
	})
}

// IsProject tells whether a file is named as projects are.
func IsProject(path string) bool { return ProjectType(path) != "" }
