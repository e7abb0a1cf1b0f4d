package agents

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
)

type inviteCommand struct {
	For     string   `help:"Whom or what it is for, such as the name of the machine." placeholder:"NAME"`
	Uses    int      `help:"Number of machines that may join with it." default:"1"`
	Expires string   `help:"When it ends: a day, a time, or in how long, such as 2027-01-31 or 2h." default:"24h"`
	Tags    []string `help:"Tags for the machines that join with it." placeholder:"TAG"`
	remote.SecretFile
	remote.Flags
}

// Help is for the parser of the command line.
func (inviteCommand) Help() string {
	return `Only the join token is printed on standard output, or kept in --out FILE. On the machine:

    OVERCRANK_JOIN_TOKEN=ocj_… overcrank agent --coordinator ADDRESS

The token says by itself which farm it is of: a machine sends it to no other.`
}

// Run makes an invitation.
func (a inviteCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	end, err := remote.TimeToCome("expires", a.Expires, time.Now())
	if err != nil {
		return err
	}
	made, err := c.Invite(ctx, client.NewJoinToken{Name: a.For, Uses: a.Uses, ExpiresAt: end.UTC().Format(time.RFC3339), Tags: a.Tags})
	if err != nil {
		return err
	}
	if a.JSON {
		return a.GiveAnswer(out, made.JSON(), made.JoinToken)
	}
	machines := "one machine"
	if made.Uses != 1 {
		machines = fmt.Sprintf("%d machines", made.Uses)
	}
	out.Remark("Invitation %s, for %s, until %s. Start the agent with it:", made.ID, machines, terminal.LocalTime(made.ExpiresAt))
	out.Remark("  OVERCRANK_JOIN_TOKEN=… overcrank agent --coordinator %s", strings.TrimSuffix(a.Server, "/"))
	return a.Give(out, made.JoinToken)
}

type invitationsCommand struct{ remote.Flags }

// Run lists the invitations.
func (a invitationsCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	all, err := c.Invitations(ctx)
	return a.Print(out, all, err, func() error {
		t := terminal.NewTable("INVITATION", "FOR", "LEFT", "TAGS", "MADE", "BY", "LAST USED", "ENDS")
		for _, i := range all.Items {
			left := strconv.Itoa(i.Left) + " of " + strconv.Itoa(i.Uses)
			t.Row(i.ID, i.Name, left, strings.Join(i.Tags, ", "), terminal.LocalTime(i.CreatedAt), i.CreatedBy, terminal.LocalTime(i.LastUsedAt), terminal.LocalTime(i.ExpiresAt))
		}
		return out.Table(t)
	})
}

type revokeCommand struct {
	Invitations []string `arg:"" name:"invitation" help:"Ids of the invitations, or whom they are for." complete:"invitation"`
	remote.Farm
}

// Run revokes join tokens.
func (a revokeCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(a.Invitations, "revoked", out,
		func(ref string) (string, error) { return remote.Find(ctx, "invitation", ref, c.Invitations) },
		func(id string) error { return c.RevokeInvitation(ctx, id) })
}
