package templates

import (
	"context"
	"strconv"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

// versionsCommand lists the versions of a template.
type versionsCommand struct {
	templateRef
	remote.Flags
}

func (v versionsCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := v.find(ctx, v.Flags)
	if err != nil {
		return err
	}
	list, err := c.TemplateVersions(ctx, id)
	return v.Print(out, list, err, func() error {
		t := terminal.NewTable("VERSION", "FILE", "SAVED WITH", "ADDED", "BY", "STATE")
		for _, version := range list.Items {
			state := "kept"
			switch {
			case version.Current:
				state = "current"
			case !version.Kept:
				state = "no longer kept"
			}
			t.Row(strconv.Itoa(version.Version), terminal.Size(version.Bytes), version.SavedWith, terminal.LocalTime(version.CreatedAt), version.CreatedBy, state)
		}
		return out.List(t, "No versions: the template has no file yet.")
	})
}

// makeCurrentCommand gives a template the file of an earlier version.
type makeCurrentCommand struct {
	templateRef
	Version int `arg:"" help:"Number of the version, as templates versions lists it."`
	remote.Flags
}

func (m makeCurrentCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := m.find(ctx, m.Flags)
	if err != nil {
		return err
	}
	t, err := c.TakeVersion(ctx, id, m.Version)
	return m.Print(out, t, err, func() error {
		out.Remark("%s is version %d now, with the file of version %d", t.ID, t.Version, m.Version)
		return nil
	})
}
