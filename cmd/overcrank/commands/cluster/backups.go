package cluster

import (
	"context"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/wording"
)

type backupsCommand struct{ remote.Flags }

// Help is for the parser of the command line.
func (backupsCommand) Help() string {
	return `The farm remembers the latest 20 backups that were read to their end, on whatever machine. CHECKED is when a backup was read again where it is kept and
found whole, which "overcrank backup" does by itself. With --json, what "cluster status --json" prints.`
}

// Run lists the backups that the farm remembers.
func (b backupsCommand) Run(ctx context.Context, out *terminal.Output) error {
	c, err := b.Client()
	if err != nil {
		return err
	}
	cluster, err := c.Cluster(ctx)
	return b.Print(out, cluster, err, func() error {
		if len(cluster.Backups) == 0 {
			out.Remark("%s", noBackup)
			return nil
		}
		t := terminal.NewTable("TAKEN", "SIZE", "HOLDS", "BY", "CHECKED", "KEPT AT", "ID")
		for _, known := range cluster.Backups {
			place := known.Place
			if place == "" {
				place = "-"
			}
			t.Row(terminal.LocalTime(known.At), terminal.Size(known.Bytes), holds(known), known.By, terminal.LocalTime(known.CheckedAt), place, known.ID)
		}
		return out.Table(t)
	})
}

const noBackup = "The farm knows of no backup. Take one with: overcrank backup FILE --passphrase-file FILE"

// holds says what is in a backup.
func holds(b client.KnownBackup) string {
	switch {
	case b.Keys && b.Files:
		return "state, keys, files"
	case b.Keys:
		return "state, keys"
	case b.Files:
		return "state, files"
	}
	return "state"
}

// backupSaid is the newest backup in a line.
func backupSaid(c client.Cluster) string {
	if len(c.Backups) == 0 {
		return noBackup
	}
	newest := c.Backups[0]
	words := "Newest backup: " + terminal.LocalTime(newest.At) + ", " + wording.Size(newest.Bytes)
	if newest.Place != "" {
		words += ", at " + newest.Place
	}
	if newest.CheckedAt == "" {
		words += ", not checked"
	}
	return words + "."
}
