package backups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator"
	"overcrank/coordinator/backup"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// Restore is overcrank restore: a backup into a running farm, or into a new data folder.
type Restore struct {
	File    string `arg:"" help:"Backup to restore." type:"existingfile"`
	DataDir string `help:"Make this data folder of a new farm instead, missing or empty, and ask no farm." type:"path" xor:"what"`
	Check   bool   `help:"Only read the backup to its end and say whether it is whole." xor:"what"`
	Yes     bool   `help:"Do not ask before a running farm is put back."`
	passphraseFlag
	KeysFrom string `help:"With --data-dir: folder with farm.key, ca.key, ca.crt and secrets.key, for a backup without keys." type:"existingdir"`
	remote.Flags
}

// Help is what stands below the flags.
func (Restore) Help() string {
	return `Puts the running farm that --server names back to a backup of it, on all of its coordinators at once and while it works. What was done since the backup is
gone then: jobs, results in the farm's records, people, settings. Nothing changes unless the whole backup was received and found right. Coordinators and the
machines' certificates stay as they are. What was replaced is kept in a file of the data folder of the coordinator that was asked, which is named at the end.

    overcrank restore /backups/farm.ocbackup --passphrase-file /root/farm-backup.pass --server https://farm:8080 --token-file admin.token

With --data-dir it makes the data folder of a farm of one coordinator, where none is left. The folder appears when the whole backup has been read and found right,
or not at all. Then start it, and let further coordinators join it as usual:

    overcrank restore /backups/farm.ocbackup --data-dir /var/lib/overcrank --passphrase-file /root/farm-backup.pass
    overcrank coordinator --data-dir /var/lib/overcrank

The farm that was backed up must not run any more then: the restored one is the same farm to its machines.`
}

// restoreDone is what --json prints of a restored or checked backup.
type restoreDone struct {
	DataDir     string   `json:"dataDir,omitempty"`
	MissingKeys []string `json:"missingKeys,omitempty"` // files to put into the folder before a coordinator starts on it
	backup.Manifest
}

// Run restores a farm.
func (r Restore) Run(ctx context.Context, out *terminal.Output) error {
	secret, err := r.passphrase()
	if err != nil {
		return err
	}
	if r.DataDir == "" && !r.Check {
		return r.online(ctx, secret, out)
	}
	file, err := os.Open(r.File)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	bar := out.Bar("reading")
	content := &moving{r: file, total: info.Size(), bar: bar}
	done := restoreDone{DataDir: r.DataDir}
	if r.Check {
		done.Manifest, err = backup.Read(content, secret, &looker{bar: terminal.NewBar(io.Discard, "")})
	} else {
		done.Manifest, done.MissingKeys, err = coordinator.Restore(ctx, content, coordinator.Restoring{DataDir: r.DataDir, Passphrase: secret, KeysFrom: r.KeysFrom})
	}
	bar.End()
	switch {
	case errors.Is(err, backup.ErrNoPassphrase):
		return exit.Usagef("%s: %w; give --passphrase-file", r.File, err)
	case err != nil:
		return fmt.Errorf("%s: %w", r.File, err)
	case r.JSON:
		return out.JSON(done)
	case r.Check:
		fmt.Fprintf(out, "%s is whole: the farm %s at change %d, backed up at %s by overcrank %s. %s\n",
			r.File, done.Farm, done.Index, wording.Local(done.CreatedAt), done.Version, inIt(done.Manifest))
		if done.Keys && secret.Reveal() == "" {
			out.Remark("Whether the passphrase opens its keys was not tried: give --passphrase-file.")
		}
		return nil
	}
	fmt.Fprintln(out, r.DataDir)
	if len(done.MissingKeys) > 0 {
		out.Remark("Before the start, put these files of the farm's data folder into it: %s.", strings.Join(done.MissingKeys, ", "))
	}
	out.Remark("Start it with: overcrank coordinator --data-dir %s", r.DataDir)
	return nil
}

// online puts a running farm back.
func (r Restore) online(ctx context.Context, secret farm.Confidential, out *terminal.Output) error {
	if r.KeysFrom != "" {
		return exit.Usagef("--keys-from belongs to --data-dir: a running farm has its keys")
	}
	c, err := r.Client()
	if err != nil {
		return err
	}
	if !r.Yes {
		if !terminal.Is(os.Stdin) {
			return exit.Usagef("restoring throws away what was done on %s since the backup: give --yes", r.Server)
		}
		fmt.Fprintf(out.Errors, "The farm at %s is put back to %s: WHAT WAS DONE SINCE IS GONE.\nType 'restore' to go on: ", r.Server, r.File)
		if !terminal.Agreed(os.Stdin, "restore") {
			return fmt.Errorf("nothing was changed")
		}
	}
	bar := out.Bar("sending")
	label := ""
	done, err := c.Restore(ctx, r.File, secret.Reveal(), bar.Bytes, func(step string, n, all int64) {
		if step != label {
			bar.End()
			bar, label = out.Bar(step), step
		}
		bar.Bytes(n, all)
	})
	bar.End()
	if err != nil {
		return fmt.Errorf("restore %s: %w", r.File, err)
	}
	if r.JSON {
		return out.Answer(done.JSON())
	}
	fmt.Fprintf(out, "The farm is as it was at %s, change %d.\n", terminal.LocalTime(done.MadeAt), done.Change)
	if done.Files > 0 {
		out.Remark("%s that its storage lacked are there again.", terminal.Plural(done.Files, "file"))
	}
	out.Remark("What was replaced is in %s on coordinator %s; overcrank restore brings it back the same way.", done.Before, done.Node)
	return nil
}
