// Package access has the commands about who may use the farm: teams, people and API tokens.
package access

import (
	"context"
	"fmt"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

// Teams are the commands below overcrank teams.
type Teams struct {
	List   teamsList   `cmd:"" default:"withargs" help:"List the teams that you may see."`
	Create teamsCreate `cmd:"" help:"Create a team."`
	Rename teamsRename `cmd:"" help:"Rename a team."`
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

// newAccessFlags describe a token or a person that is made.
type newAccessFlags struct {
	teamFlag
	Name    string `arg:"" help:"Who or what it is for."`
	Role    string `help:"viewer, artist, producer, operator or admin; each may do all that the ones before it may." enum:"viewer,artist,producer,operator,admin" default:"artist"`
	Expires string `help:"When it ends: a day, a time, or in how long, such as 2027-01-31 or 720h. Default: never."`
}

// request is what the flags ask for.
func (f newAccessFlags) request(ctx context.Context, c *client.Client) (client.NewAccess, error) {
	in := client.NewAccess{Name: f.Name, Role: f.Role}
	var err error
	if in.Team, err = f.teamID(ctx, c); err != nil || f.Expires == "" {
		return in, err
	}
	end, err := remote.TimeToCome("expires", f.Expires, time.Now())
	if err != nil {
		return in, err
	}
	in.ExpiresAt = end.UTC().Format(time.RFC3339)
	return in, nil
}

func accessTable(what string, list []client.Access) *terminal.Table {
	t := terminal.NewTable(what, "NAME", "ROLE", "MADE", "LAST USED", "ENDS", "REMARK")
	for _, a := range list {
		ends, note := "never", ""
		if a.ExpiresAt != "" {
			ends = terminal.LocalTime(a.ExpiresAt)
		}
		if a.Current {
			note = "this is you"
		}
		t.Row(a.ID, a.Name, a.Role, terminal.LocalTime(a.CreatedAt), terminal.LocalTime(a.LastUsedAt), ends, note)
	}
	return t
}

// Tokens are the commands below overcrank tokens.
type Tokens struct {
	List   tokensList   `cmd:"" default:"withargs" help:"List the tokens of the team."`
	Create tokensCreate `cmd:"" help:"Create a token; its secret is printed once."`
	Revoke tokensRevoke `cmd:"" help:"Revoke tokens, on every coordinator at once."`
}

type tokensList struct {
	remote.Flags
	teamFlag
}

func (l tokensList) Run(ctx context.Context, out *terminal.Output) error {
	return listAccess(ctx, l.Flags, l.teamFlag, "TOKEN", (*client.Client).Tokens, out)
}

func listAccess(ctx context.Context, r remote.Flags, f teamFlag, what string, list func(*client.Client, context.Context, string) (client.List[client.Access], error), out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	team, err := f.teamID(ctx, c)
	if err != nil {
		return err
	}
	all, err := list(c, ctx, team)
	return r.Print(out, all, err, func() error { return out.Table(accessTable(what, all.Items)) })
}

type tokensCreate struct {
	newAccessFlags
	remote.SecretFile
	remote.Flags
}

func (tokensCreate) Help() string {
	return `The secret is shown this once. Keep it in a file that only you can read:

    overcrank tokens create "render script" --role producer --out render.token`
}

func (t tokensCreate) Run(ctx context.Context, out *terminal.Output) error {
	c, err := t.Client()
	if err != nil {
		return err
	}
	in, err := t.request(ctx, c)
	if err != nil {
		return err
	}
	token, err := c.CreateToken(ctx, in)
	if err != nil {
		return err
	}
	if t.JSON {
		out.Private()
		return out.Answer(token.JSON())
	}
	out.Remark("Token %s (%s), role %s. Its secret is shown this once.", token.ID, token.Name, token.Role)
	return t.Give(out, token.Secret)
}

type tokensRevoke struct {
	Tokens []string `arg:"" name:"token" help:"Ids or names of the tokens." complete:"token"`
	remote.Farm
	teamFlag
}

func (t tokensRevoke) Run(ctx context.Context, out *terminal.Output) error {
	c, err := t.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(t.Tokens, "revoked", out,
		func(ref string) (string, error) { return t.find(ctx, c, "token", ref, c.Tokens) },
		func(id string) error { return c.RevokeToken(ctx, id) })
}

// People are the commands below overcrank people.
type People struct {
	List   peopleList   `cmd:"" default:"withargs" help:"List the people of the team."`
	Create peopleCreate `cmd:"" help:"Create a person; the link that signs them in is printed."`
	Link   peopleLink   `cmd:"" help:"Create a new link that signs a person's browser in, once."`
	Delete peopleDelete `cmd:"" help:"Delete people; their access ends on every coordinator at once."`
}

type peopleList struct {
	remote.Flags
	teamFlag
}

func (l peopleList) Run(ctx context.Context, out *terminal.Output) error {
	return listAccess(ctx, l.Flags, l.teamFlag, "PERSON", (*client.Client).People, out)
}

type peopleCreate struct {
	newAccessFlags
	remote.SecretFile
	remote.Flags
}

func (p peopleCreate) Run(ctx context.Context, out *terminal.Output) error {
	c, err := p.Client()
	if err != nil {
		return err
	}
	in, err := p.request(ctx, c)
	if err != nil {
		return err
	}
	person, err := c.CreatePerson(ctx, in)
	if err != nil {
		return err
	}
	if p.JSON {
		out.Private()
		return out.Answer(person.JSON())
	}
	out.Remark("%s (%s), role %s.", person.Name, person.ID, person.Role)
	if person.SignIn == nil {
		out.Remark("A link that signs them in: overcrank people link %s", person.ID)
		return nil
	}
	return giveLink(*person.SignIn, p.SecretFile, out)
}

// giveLink hands over a link that signs in.
func giveLink(link client.SignInLink, to remote.SecretFile, out *terminal.Output) error {
	out.Remark("This link signs in once, until %s.", terminal.LocalTime(link.ExpiresAt))
	return to.Give(out, link.URL)
}

type peopleLink struct {
	Person string `arg:"" help:"Id or name of the person." complete:"person"`
	remote.SecretFile
	remote.Flags
	teamFlag
}

func (p peopleLink) Run(ctx context.Context, out *terminal.Output) error {
	c, err := p.Client()
	if err != nil {
		return err
	}
	id, err := p.find(ctx, c, "person", p.Person, c.People)
	if err != nil {
		return err
	}
	link, err := c.PersonLink(ctx, id)
	if err != nil {
		return err
	}
	if p.JSON {
		out.Private()
		return out.Answer(link.JSON())
	}
	return giveLink(link, p.SecretFile, out)
}

type peopleDelete struct {
	People []string `arg:"" name:"person" help:"Ids or names of the people." complete:"person"`
	remote.Farm
	teamFlag
}

func (p peopleDelete) Run(ctx context.Context, out *terminal.Output) error {
	c, err := p.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(p.People, "deleted", out,
		func(ref string) (string, error) { return p.find(ctx, c, "person", ref, c.People) },
		func(id string) error { return c.DeletePerson(ctx, id) })
}
