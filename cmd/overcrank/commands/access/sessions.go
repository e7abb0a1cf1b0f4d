package access

import (
	"context"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type peopleSessions struct{ personFlags }

func (p peopleSessions) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := p.open(ctx)
	if err != nil {
		return err
	}
	list, err := c.Sessions(ctx, id)
	return p.Print(out, list, err, func() error {
		t := terminal.NewTable("SESSION", "BROWSER", "ADDRESS", "BEGUN", "LAST USED", "ENDS")
		for _, s := range list.Items {
			t.Row(s.ID, s.Browser, s.Address, terminal.LocalTime(s.BegunAt), terminal.LocalTime(s.LastUsedAt), terminal.LocalTime(s.ExpiresAt))
		}
		return out.Table(t)
	})
}

type peopleSignOut struct {
	Person  string `arg:"" help:"Id or name of the person." complete:"person"`
	Session string `help:"Id of the one session to end, as overcrank people sessions lists it. Default: all of them."`
	remote.Farm
	teamFlag
}

func (p peopleSignOut) Run(ctx context.Context, out *terminal.Output) error {
	c, err := p.Client()
	if err != nil {
		return err
	}
	id, err := p.find(ctx, c, "person", p.Person, c.People)
	if err != nil {
		return err
	}
	if err := c.EndSessions(ctx, id, p.Session); err != nil {
		return err
	}
	if p.Session != "" {
		out.Remark("%s is signed out there.", p.Person)
		return nil
	}
	out.Remark("%s is signed out everywhere.", p.Person)
	return nil
}
