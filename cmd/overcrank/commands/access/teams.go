// Package access has the commands about who may use the farm: teams, people and API tokens.
package access

import (
	"context"
	"fmt"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/budgets"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/wording"
)

// Teams are the commands below overcrank teams.
type Teams struct {
	List   teamsList   `cmd:"" default:"withargs" help:"List the teams that you may see."`
	Create teamsCreate `cmd:"" help:"Create a team."`
	Rename teamsRename `cmd:"" help:"Rename a team."`
	Budget teamsBudget `cmd:"" help:"Show the budget of a team, give it one, or take it away."`
	Delete teamsDelete `cmd:"" help:"Delete teams with all that they own."`
}

type teamsList struct{ remote.Flags }

func (l teamsList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	list, err := c.Teams(ctx)
	return l.Print(out, list, err, func() error {
		t := terminal.NewTable("TEAM", "NAME", "MADE", "REMARK")
		for _, team := range list.Items {
			note := ""
			if team.Default {
				note = "its administrators are the farm's"
			}
			t.Row(team.ID, team.Name, terminal.LocalTime(team.CreatedAt), note)
		}
		return out.Table(t)
	})
}

type teamsCreate struct {
	Name string `arg:"" help:"Name of the team."`
	remote.Flags
}

func (t teamsCreate) Run(ctx context.Context, out *terminal.Output) error {
	c, err := t.Client()
	if err != nil {
		return err
	}
	team, err := c.CreateTeam(ctx, t.Name)
	return t.Print(out, team, err, func() error {
		fmt.Fprintln(out, team.ID)
		out.Remark("Its first token: overcrank tokens create NAME --role admin --team %s", team.ID)
		return nil
	})
}

type teamsRename struct {
	Team string `arg:"" help:"Id or name of the team." complete:"team"`
	Name string `arg:"" help:"The new name."`
	remote.Flags
}

func (t teamsRename) Run(ctx context.Context, out *terminal.Output) error {
	c, err := t.Client()
	if err != nil {
		return err
	}
	id, err := remote.Find(ctx, "team", t.Team, c.Teams)
	if err != nil {
		return err
	}
	team, err := c.RenameTeam(ctx, id, t.Name)
	return t.Print(out, team, err, func() error {
		out.Remark("%s is now called %s", team.ID, team.Name)
		return nil
	})
}

type teamsBudget struct {
	Team string `arg:"" help:"Id or name of the team." complete:"team"`
	budgets.Flags
	None bool         `help:"Take the budget away."`
	Ask  remote.Flags `embed:""`
}

func (t teamsBudget) Run(ctx context.Context, out *terminal.Output) error {
	c, err := t.Ask.Client()
	if err != nil {
		return err
	}
	id, err := remote.Find(ctx, "team", t.Team, c.Teams)
	if err != nil {
		return err
	}
	now, err := c.TeamBudget(ctx, id)
	if err != nil {
		return err
	}
	budget, err := t.Over(now.Budget)
	switch {
	case err != nil:
		return err
	case t.None && budget != nil:
		return exit.Usagef("--none takes the budget away: give it alone, or --hours, --per and --then")
	case t.None:
		if err = c.DeleteTeamBudget(ctx, id); err == nil {
			now, err = c.TeamBudget(ctx, id)
		}
	case budget != nil:
		now, err = c.SetTeamBudget(ctx, id, *budget)
	}
	return t.Ask.Print(out, now, err, func() error {
		table := terminal.NewTable("THIS MONTH", "IN TOTAL", "BUDGET", "USED")
		table.Row(wording.MachineTime(now.Use.HoursThisMonth).String(), wording.MachineTime(now.Use.HoursTotal).String(), budgets.Words(now.Budget), budgets.Percent(now.Use))
		return out.Table(table)
	})
}

type teamsDelete struct {
	Teams []string `arg:"" name:"team" help:"Ids or names of the teams." complete:"team"`
	remote.Farm
}

func (t teamsDelete) Run(ctx context.Context, out *terminal.Output) error {
	c, err := t.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(t.Teams, "deleted", out,
		func(ref string) (string, error) { return remote.Find(ctx, "team", ref, c.Teams) },
		func(id string) error { return c.DeleteTeam(ctx, id) })
}

// teamFlag chooses another team than the caller's own.
type teamFlag struct {
	Team string `help:"Id or name of the team, for administrators of the farm. Default: your own." complete:"team"`
}

// teamID is the id of that team, "" for the caller's own.
func (f teamFlag) teamID(ctx context.Context, c *client.Client) (string, error) {
	if f.Team == "" {
		return "", nil
	}
	return remote.Find(ctx, "team", f.Team, c.Teams)
}

// find is the id of the token or person of that team that ref names.
func (f teamFlag) find(ctx context.Context, c *client.Client, what, ref string, list func(context.Context, string) (client.List[client.Access], error)) (string, error) {
	return remote.Find(ctx, what, ref, func(ctx context.Context) (client.List[client.Access], error) {
		team, err := f.teamID(ctx, c)
		if err != nil {
			return client.List[client.Access]{}, err
		}
		return list(ctx, team)
	})
}
