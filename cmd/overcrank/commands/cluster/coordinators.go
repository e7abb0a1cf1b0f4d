package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator/farmkeys"
)

type statusCommand struct{ remote.Flags }

// Run says how the coordinators are.
func (s statusCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	cluster, err := c.Cluster(ctx)
	return s.Print(out, cluster, err, func() error {
		t := terminal.NewTable("COORDINATOR", "ROLE", "STATE", "BEHIND", "HEARD", "VERSION", "FREE", "ADDRESS", "ID")
		for _, m := range cluster.Members {
			heard := terminal.LocalTime(m.LastContactAt)
			if m.ID == cluster.ID {
				heard = "answers you"
			}
			t.Row(m.Name, m.Role, coordinatorState(m), behind(m.Lag), heard, m.Version, terminal.Size(m.FreeBytes), m.Address, m.ID)
		}
		if err := out.Table(t); err != nil {
			return err
		}
		for _, words := range saidOf(cluster) {
			out.Remark("%s", words)
		}
		if cluster.Leader == "" || cluster.Spare < 0 {
			return exit.Code(exit.Failed)
		}
		return nil
	})
}

// saidOf is what stands below the table.
func saidOf(c client.Cluster) []string {
	var words []string
	switch {
	case c.Waiting != "":
		words = append(words, "This coordinator is not part of a farm yet: "+c.Waiting+".")
	case c.Leader == "":
		words = append(words, "The farm has no leader at the moment, and takes no changes.")
	case c.Spare > 0:
		words = append(words, fmt.Sprintf("The farm continues when %s cannot be reached.", terminal.Plural(c.Spare, "more coordinator")))
	}
	for _, w := range c.Warnings {
		words = append(words, "Warning: "+w+".")
	}
	if c.Storage.Move != nil {
		words = append(words, moveSaid(c.Storage)...)
	}
	return append(words, backupSaid(c))
}

func coordinatorState(m client.Coordinator) string {
	switch {
	case !m.Alive:
		return "dead"
	case m.Trouble != "":
		return terminal.FirstLine(m.Trouble)
	}
	return "well"
}

func behind(lag uint64) string {
	if lag == 0 {
		return "-"
	}
	return strconv.FormatUint(lag, 10)
}

type inviteCommand struct {
	For     string `help:"Whom or what it is for, such as the name of the machine." placeholder:"NAME"`
	Expires string `help:"When it ends: a day, a time, or in how long, such as 2027-01-31 or 2h." default:"24h"`
	remote.SecretFile
	remote.Flags
}

// Help is for the parser of the command line.
func (inviteCommand) Help() string {
	return `The token goes to a file that only you can read. On the new machine, with an empty data folder:

    overcrank cluster invite --for rack2 --out token
    overcrank coordinator --data-dir /var/lib/overcrank --listen 0.0.0.0:8080 --storage /mnt/farm --cluster-listen 0.0.0.0:8081 \
        --cluster-address rack2:8081 --join https://rack1:8080 --cluster-token-file token

The token says by itself which farm it is of. Whoever uses it gets the farm's keys: send it as you would send a password.`
}

// Run makes an invitation.
func (i inviteCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := i.Client()
	if err != nil {
		return err
	}
	end, err := remote.TimeToCome("expires", i.Expires, time.Now())
	if err != nil {
		return err
	}
	made, err := c.InviteNode(ctx, client.NewNodeInvitation{Name: i.For, ExpiresAt: end.UTC().Format(time.RFC3339)})
	if err != nil {
		return err
	}
	if i.JSON {
		return i.GiveAnswer(out, made.JSON(), made.Token)
	}
	out.Remark("Invitation %s, for one coordinator, until %s. Keep the token in a file on its machine, and start it there, with the --storage of this farm:", made.ID, terminal.LocalTime(made.ExpiresAt))
	out.Remark("  overcrank coordinator --data-dir FOLDER --listen HOST:PORT --storage WHERE --cluster-listen HOST:PORT --join %s --cluster-token-file FILE", joinAt(ctx, c, i.Server))
	return i.Give(out, made.Token)
}

// joinAt is where a new coordinator finds those that there are: at the addresses that they have for others, since this machine may
// know them by one that is good here alone.
func joinAt(ctx context.Context, c *client.Client, server string) string {
	var bases []string
	if cluster, err := c.Cluster(ctx); err == nil {
		for _, m := range cluster.Members {
			if m.Alive && m.PublicAddress != "" {
				bases = append(bases, m.PublicAddress)
			}
		}
	}
	if len(bases) == 0 {
		return strings.TrimSuffix(server, "/")
	}
	return strings.Join(bases, ",")
}

type invitationsCommand struct{ remote.Flags }

// Run lists the invitations.
func (i invitationsCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := i.Client()
	if err != nil {
		return err
	}
	all, err := c.NodeInvitations(ctx)
	return i.Print(out, all, err, func() error {
		t := terminal.NewTable("INVITATION", "FOR", "MADE", "BY", "USED", "BY COORDINATOR", "ENDS")
		for _, i := range all.Items {
			t.Row(i.ID, i.Name, terminal.LocalTime(i.CreatedAt), i.CreatedBy, terminal.LocalTime(i.UsedAt), i.UsedBy, terminal.LocalTime(i.ExpiresAt))
		}
		return out.Table(t)
	})
}

type revokeCommand struct {
	Invitations []string `arg:"" name:"invitation" help:"Ids of the invitations, or whom they are for."`
	remote.Farm
}

// Run revokes invitations.
func (r revokeCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(r.Invitations, "revoked", out,
		func(ref string) (string, error) { return remote.Find(ctx, "invitation", ref, c.NodeInvitations) },
		func(id string) error { return c.RevokeNodeInvitation(ctx, id) })
}

type keyCommand struct{ remote.SecretFile }

// Help is for the parser of the command line.
func (keyCommand) Help() string {
	return `Copy the same key to all machines that begin the farm together, and start each of them:

    overcrank cluster key --out farm.key
    overcrank coordinator --data-dir /var/lib/overcrank --listen 0.0.0.0:8080 --storage /mnt/farm --farm-key-file farm.key \
        --bootstrap-expect 3 --cluster-listen 0.0.0.0:8081 --cluster-address rack1:8081 --join rack1:8081,rack2:8081,rack3:8081

Whoever has the key has the farm: remove it from wherever it was carried.`
}

// Run makes a new key.
func (k keyCommand) Run(out *terminal.Output) error { return k.Give(out, farmkeys.New()) }

type transferCommand struct {
	Coordinator string `arg:"" optional:"" help:"Name or id of the one that is to lead; the one that does best when left out."`
	remote.Farm
}

// Run hands the lead over.
func (t transferCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := t.Client()
	if err != nil {
		return err
	}
	id := ""
	if t.Coordinator != "" {
		if id, err = findCoordinator(ctx, c, t.Coordinator); err != nil {
			return err
		}
	}
	if err := c.TransferLead(ctx, id); err != nil {
		return err
	}
	out.Remark("The farm's lead is handed over.")
	return nil
}

type leaveCommand struct{ remote.Farm }

// Run takes the coordinator at --server out of the farm.
func (l leaveCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	cluster, err := c.Cluster(ctx)
	if err != nil {
		return err
	}
	return removeCoordinator(ctx, c, cluster.ID, out)
}

type removeCommand struct {
	Coordinators []string `arg:"" name:"coordinator" help:"Names or ids of coordinators."`
	remote.Farm
}

// Run takes coordinators out of the farm.
func (r removeCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	for _, ref := range r.Coordinators {
		id, err := findCoordinator(ctx, c, ref)
		if err != nil {
			return err
		}
		if err := removeCoordinator(ctx, c, id, out); err != nil {
			return err
		}
	}
	return nil
}

func removeCoordinator(ctx context.Context, c *client.Client, id string, out *terminal.Output) error {
	if err := c.RemoveCoordinator(ctx, id); err != nil {
		return err
	}
	out.Remark("Coordinator %s is out of the farm. If it still ran, it ends by itself; its data folder is of no use to it any more.", id)
	return nil
}

// findCoordinator finds the id of the coordinator that ref names.
func findCoordinator(ctx context.Context, c *client.Client, ref string) (string, error) {
	cluster, err := c.Cluster(ctx)
	if err != nil {
		return "", err
	}
	found, err := remote.Pick(cluster.Members, "coordinator", ref)
	return found.ID, err
}
