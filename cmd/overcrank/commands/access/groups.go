package access

import (
	"context"
	"slices"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

// groups are the commands below overcrank people groups.
type groups struct {
	List   groupsList   `cmd:"" default:"withargs" help:"List the groups that come in, in the order in which they count."`
	Add    groupsAdd    `cmd:"" help:"Let a group into a team with a role, or give it another role there."`
	Delete groupsDelete `cmd:"" help:"Let a group in no more."`
	Link   groupsLink   `cmd:"" help:"Say whether somebody who comes for the first time is the person who has the same e-mail address."`
}

// Help says what the order of groups is for.
func (groups) Help() string {
	return `People get team and role each time they sign in. The first group that fits decides the team; if several groups of that team fit, the highest role counts.

    overcrank people groups add artists --team Spots --role artist`
}

// rulesFlags are those of every command about groups.
type rulesFlags struct{ remote.Flags }

// show prints who comes in from now on.
func (f rulesFlags) show(ctx context.Context, c *client.Client, out *terminal.Output, rules client.SignInRules, err error) error {
	return f.Print(out, rules, err, func() error {
		teams, err := c.Teams(ctx)
		if err != nil {
			return err
		}
		t := terminal.NewTable("GROUP", "TEAM", "ROLE")
		for _, rule := range rules.Groups {
			name := rule.Team
			if i := slices.IndexFunc(teams.Items, func(team client.Team) bool { return team.ID == rule.Team }); i >= 0 {
				name = teams.Items[i].Name
			}
			t.Row(rule.Group, name, rule.Role)
		}
		if err := out.Table(t); err != nil {
			return err
		}
		if rules.LinkByEmail {
			out.Remark("Whoever comes for the first time is the person with the same verified e-mail address.")
		}
		return nil
	})
}

// change puts other rules in the place of those in force.
func (f rulesFlags) change(ctx context.Context, out *terminal.Output, change func(c *client.Client, rules *client.SignInRules) error) error {
	c, err := f.Client()
	if err != nil {
		return err
	}
	rules, err := c.SignInRules(ctx)
	if err != nil {
		return err
	}
	if err := change(c, &rules); err != nil {
		return err
	}
	saved, err := c.PutSignInRules(ctx, rules)
	return f.show(ctx, c, out, saved, err)
}

type groupsList struct{ rulesFlags }

func (l groupsList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	rules, err := c.SignInRules(ctx)
	return l.show(ctx, c, out, rules, err)
}

type groupsAdd struct {
	Group string `arg:"" help:"The group, as the provider calls it."`
	Team  string `required:"" help:"Id or name of the team that it comes into." complete:"team"`
	Role  string `help:"viewer, artist, producer, operator or admin." enum:"viewer,artist,producer,operator,admin" default:"artist"`
	First bool   `help:"Count before all other groups."`
	rulesFlags
}

func (a groupsAdd) Run(ctx context.Context, out *terminal.Output) error {
	return a.change(ctx, out, func(c *client.Client, rules *client.SignInRules) error {
		team, err := remote.Find(ctx, "team", a.Team, c.Teams)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(rules.Groups, func(g client.GroupRule) bool { return g.Group == a.Group && g.Team == team })
		if at >= 0 && !a.First {
			rules.Groups[at].Role = a.Role
			return nil
		}
		if at >= 0 {
			rules.Groups = slices.Delete(rules.Groups, at, at+1)
		}
		if at = len(rules.Groups); a.First {
			at = 0
		}
		rules.Groups = slices.Insert(rules.Groups, at, client.GroupRule{Group: a.Group, Team: team, Role: a.Role})
		return nil
	})
}

type groupsDelete struct {
	Group string `arg:"" help:"The group, as the provider calls it."`
	Team  string `help:"Id or name of the team. Default: all teams that the group comes into." complete:"team"`
	rulesFlags
}

func (d groupsDelete) Run(ctx context.Context, out *terminal.Output) error {
	return d.change(ctx, out, func(c *client.Client, rules *client.SignInRules) error {
		team, err := teamFlag{d.Team}.teamID(ctx, c)
		if err != nil {
			return err
		}
		before := len(rules.Groups)
		rules.Groups = slices.DeleteFunc(rules.Groups, func(g client.GroupRule) bool { return g.Group == d.Group && (team == "" || g.Team == team) })
		if len(rules.Groups) == before {
			return exit.NotFoundf("the group %q does not come in; overcrank people groups lists those that do", d.Group)
		}
		return nil
	})
}

type groupsLink struct {
	Link string `arg:"" enum:"on,off" help:"on or off."`
	rulesFlags
}

func (l groupsLink) Run(ctx context.Context, out *terminal.Output) error {
	return l.change(ctx, out, func(_ *client.Client, rules *client.SignInRules) error {
		rules.LinkByEmail = l.Link == "on"
		return nil
	})
}
