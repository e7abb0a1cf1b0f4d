package queue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

// Limits are the commands below overcrank limits.
type Limits struct {
	List   limitsList   `cmd:"" default:"withargs" help:"List the limits, such as how many licences of a plug-in there are."`
	Set    limitsSet    `cmd:"" help:"Create a limit, or replace it."`
	Delete limitsDelete `cmd:"" help:"Delete limits."`
}

type limitsList struct{ remote.Flags }

// Run lists the limits.
func (l limitsList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	limits, err := c.Limits(ctx)
	return l.Print(out, limits, err, func() error {
		if len(limits.ByName) == 0 {
			out.Remark("No limits. Create one with: overcrank limits set NAME TOTAL")
			return nil
		}
		t := terminal.NewTable("LIMIT", "TOTAL", "ON ONE MACHINE", "COUNTS", "EFFECTS")
		for _, name := range slices.Sorted(maps.Keys(limits.ByName)) {
			limit := limits.ByName[name]
			counts, each := "tasks", "any number"
			if limit.ByMachine {
				counts = "machines"
			}
			if limit.PerMachine > 0 {
				each = strconv.Itoa(limit.PerMachine)
			}
			t.Row(name, strconv.Itoa(limit.Total), each, counts, strings.Join(limit.Effects, ", "))
		}
		return out.Table(t)
	})
}

type limitsSet struct {
	Name       string   `arg:"" help:"Name of the limit." complete:"limit"`
	Total      int      `arg:"" help:"How many there are on the whole farm."`
	PerMachine int      `help:"Tasks on one machine at once; 0 for any number."`
	ByMachine  bool     `help:"Several tasks on one machine take one together, as a floating licence does."`
	Effect     []string `help:"Match name of an effect that takes one, or the beginning of one followed by *; repeat it for several." sep:"none" placeholder:"NAME"`
	remote.Flags
}

// Help is for the parser of the command line.
func (limitsSet) Help() string {
	return `    overcrank limits set particles 4 --by-machine --effect 'tc Particular*'

A task takes one when its job names the limit, or when its project uses one of the effects.`
}

// Run sets a limit.
func (l limitsSet) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	limit, err := c.SetLimit(ctx, l.Name, client.Limit{Total: l.Total, PerMachine: l.PerMachine, ByMachine: l.ByMachine, Effects: l.Effect})
	return l.Print(out, limit, err, func() error {
		fmt.Fprintf(out, "%s: %d\n", l.Name, limit.Total)
		return nil
	})
}

type limitsDelete struct {
	Names []string `arg:"" name:"limit" help:"Names of the limits." complete:"limit"`
	remote.Farm
}

// Run deletes limits.
func (l limitsDelete) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	for _, name := range l.Names {
		if err := c.DeleteLimit(ctx, name); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s deleted\n", name)
	}
	return nil
}
