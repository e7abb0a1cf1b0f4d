package access

import (
	"context"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

// passkeys are the commands below overcrank people passkeys.
type passkeys struct {
	List   passkeysList   `cmd:"" default:"withargs" help:"List the passkeys of a person."`
	Delete passkeysDelete `cmd:"" help:"Delete passkeys of a person; they open nothing any more."`
}

type passkeysList struct{ personFlags }

func (l passkeysList) Run(ctx context.Context, out *terminal.Output) error {
	c, id, err := l.open(ctx)
	if err != nil {
		return err
	}
	list, err := c.Passkeys(ctx, id)
	return l.Print(out, list, err, func() error {
		t := terminal.NewTable("PASSKEY", "NAME", "ADDED", "LAST USED", "REMARK")
		for _, k := range list.Items {
			remark := ""
			if k.Synced {
				remark = "may be on several devices"
			}
			t.Row(k.ID, k.Name, terminal.LocalTime(k.AddedAt), terminal.LocalTime(k.LastUsedAt), remark)
		}
		return out.Table(t)
	})
}

type passkeysDelete struct {
	Person   string   `arg:"" help:"Id or name of the person." complete:"person"`
	Passkeys []string `arg:"" name:"passkey" help:"Ids or names of the passkeys."`
	remote.Farm
	teamFlag
}

func (passkeysDelete) Help() string {
	return `Browsers in which the person is signed in stay so; to end them, too:

    overcrank people sign-out Ann`
}

func (d passkeysDelete) Run(ctx context.Context, out *terminal.Output) error {
	c, err := d.Client()
	if err != nil {
		return err
	}
	person, err := d.find(ctx, c, "person", d.Person, c.People)
	if err != nil {
		return err
	}
	list := func(ctx context.Context) (client.List[client.Passkey], error) { return c.Passkeys(ctx, person) }
	return remote.DeleteAll(d.Passkeys, "deleted", out,
		func(ref string) (string, error) { return remote.Find(ctx, "passkey", ref, list) },
		func(id string) error { return c.RemovePasskey(ctx, person, id) })
}
