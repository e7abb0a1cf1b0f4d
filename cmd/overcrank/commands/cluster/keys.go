package cluster

import (
	"context"
	"fmt"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

type gossipKeyCommands struct {
	List   gossipKeyList   `cmd:"" default:"withargs" help:"List the keys by their fingerprints."`
	Rotate gossipKeyRotate `cmd:"" help:"Change the key, in steps that no member misses."`
}

type gossipKeyList struct{ remote.Flags }

// Run lists the keys of gossip.
func (g gossipKeyList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := g.Client()
	if err != nil {
		return err
	}
	keys, err := c.GossipKeys(ctx)
	return g.Print(out, keys, err, func() error { return out.Table(gossipKeyTable(keys)) })
}

func gossipKeyTable(keys client.GossipKeys) *terminal.Table {
	t := terminal.NewTable("KEY", "STATE", "MADE")
	for _, key := range keys.Keys {
		state := "read"
		switch {
		case key.InUse:
			state = "in use"
		case key.UseAt != "":
			state = "comes into use " + terminal.LocalTime(key.UseAt)
		}
		if key.DropAt != "" {
			state += ", goes " + terminal.LocalTime(key.DropAt)
		}
		made := "with the farm"
		if key.MadeAt != "" {
			made = terminal.LocalTime(key.MadeAt)
		}
		t.Row(key.Fingerprint, state, made)
	}
	return t
}

type gossipKeyRotate struct {
	remote.Flags
	Spread time.Duration `help:"How long the new key is given to members before it is written with; 10m when left out." placeholder:"DURATION"`
	Keep   time.Duration `help:"How long the key before it is read with after that; 24h when left out." placeholder:"DURATION"`
}

func (gossipKeyRotate) Help() string {
	return `Every machine that is on hears of the new key at once, over its own connection. One that sleeps, or is away, gets the keys when
it comes back, and works without gossip until then. A key that may be known outside is gone soonest with short times:

    overcrank cluster gossip-key rotate --spread 10s --keep 10s`
}

// Run begins to change the key of gossip.
func (g gossipKeyRotate) Run(ctx context.Context, out *terminal.Output) error {
	if g.Spread < 0 || g.Keep < 0 || g.Spread != g.Spread.Truncate(time.Second) || g.Keep != g.Keep.Truncate(time.Second) {
		return exit.Usagef("--spread is %v, --keep %v: both are whole seconds", g.Spread, g.Keep)
	}
	c, err := g.Client()
	if err != nil {
		return err
	}
	keys, err := c.RotateGossipKey(ctx, client.GossipTurn{Spread: int(g.Spread / time.Second), Keep: int(g.Keep / time.Second)})
	if err != nil {
		return fmt.Errorf("change the key of gossip: %w", err)
	}
	if g.JSON {
		return out.Answer(keys.JSON())
	}
	return out.Table(gossipKeyTable(keys))
}

type caCommand struct{ remote.Flags }

// Run shows the farm's authority.
func (a caCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	ca, err := c.Authority(ctx)
	return a.Print(out, ca, err, func() error {
		t := terminal.NewTable()
		t.Row("fingerprint", ca.Fingerprint)
		t.Row("subject", ca.Subject)
		if ca.OwnRoot {
			t.Row("issued by", "the farm itself")
		} else {
			t.Row("issued by", ca.Issuer)
		}
		t.Row("good until", terminal.LocalTime(ca.NotAfter))
		return out.Table(t)
	})
}
