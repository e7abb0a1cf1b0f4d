package access

import (
	"context"
	"net/url"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

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

func tokenTable(list []client.Access) *terminal.Table {
	t := terminal.NewTable("TOKEN", "NAME", "ROLE", "MADE", "LAST USED", "ENDS", "REMARK")
	for _, a := range list {
		t.Row(a.ID, a.Name, a.Role, terminal.LocalTime(a.CreatedAt), terminal.LocalTime(a.LastUsedAt), ends(a), remark(a))
	}
	return t
}

func personTable(list []client.Access) *terminal.Table {
	t := terminal.NewTable("PERSON", "NAME", "E-MAIL", "ROLE", "SIGNS IN WITH", "MADE", "LAST USED", "ENDS", "REMARK")
	for _, a := range list {
		t.Row(a.ID, a.Name, a.Email, a.Role, waysIn(a), terminal.LocalTime(a.CreatedAt), terminal.LocalTime(a.LastUsedAt), ends(a), remark(a))
	}
	return t
}

// waysIn says how a person signs in.
func waysIn(a client.Access) string {
	if a.WaysIn == nil {
		return ""
	}
	var ways []string
	if a.WaysIn.Password {
		ways = append(ways, "password")
	}
	if n := a.WaysIn.Passkeys; n > 0 {
		ways = append(ways, terminal.Plural(n, "passkey"))
	}
	for _, issuer := range a.WaysIn.SingleSignOn {
		if u, err := url.Parse(issuer); err == nil && u.Host != "" {
			issuer = u.Host
		}
		ways = append(ways, issuer)
	}
	if len(ways) == 0 {
		return "a link only"
	}
	return strings.Join(ways, ", ")
}

func ends(a client.Access) string {
	if a.ExpiresAt == "" {
		return "never"
	}
	return terminal.LocalTime(a.ExpiresAt)
}

func remark(a client.Access) string {
	if a.Current {
		return "this is you"
	}
	return ""
}

// listAccess lists the tokens or people of a team.
func listAccess(ctx context.Context, r remote.Flags, f teamFlag, list func(*client.Client, context.Context, string) (client.List[client.Access], error), table func([]client.Access) *terminal.Table, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	team, err := f.teamID(ctx, c)
	if err != nil {
		return err
	}
	all, err := list(c, ctx, team)
	return r.Print(out, all, err, func() error { return out.Table(table(all.Items)) })
}
