package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator"
	"overcrank/coordinator/backup"
)

type restoreCommand struct {
	File    string `arg:"" help:"Backup to restore." type:"existingfile"`
	DataDir string `help:"Data folder to make, for a coordinator that has none; missing or empty." type:"path" xor:"what" required:""`
	Check   bool   `help:"Only read the backup to its end and say whether it is whole." xor:"what" required:""`
	passphraseFlag
	KeysFrom string `help:"Folder with farm.key, ca.key, ca.crt and secrets.key, for a backup without keys." type:"existingdir"`
	jsonFlag
}

// Help is what stands below the flags.
func (restoreCommand) Help() string {
	return `Makes the data folder of a farm of one coordinator, with all jobs, templates, tokens and secrets that the backup knows. The folder appears when the whole
backup has been read and found right, or not at all. Then start it, and let further coordinators join it as usual:

    overcrank restore /backups/farm.ocbackup --data-dir /var/lib/overcrank --passphrase-file /root/farm-backup.pass
    overcrank coordinator --data-dir /var/lib/overcrank

The farm that was backed up must not run any more: the restored one is the same farm to its machines.`
}

// restoreDone is what --json prints of a restored or checked backup.
type restoreDone struct {
	DataDir     string   `json:"dataDir,omitempty"`
	MissingKeys []string `json:"missingKeys,omitempty"` // files to put into the folder before a coordinator starts on it
	backup.Manifest
}

// Run restores a farm.
func (r restoreCommand) Run(ctx context.Context, out *output) error {
	secret, err := r.passphrase()
	if err != nil {
		return err
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
	bar := out.bar("reading")
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
		return usagef("%s: %w; give --passphrase-file", r.File, err)
	case err != nil:
		return fmt.Errorf("%s: %w", r.File, err)
	case r.JSON:
		return out.values(done)
	case r.Check:
		fmt.Fprintf(out, "%s is whole: the farm %s at change %d, backed up at %s by overcrank %s. %s\n",
			r.File, done.Farm, done.Index, done.CreatedAt.Local().Format("2006-01-02 15:04:05"), done.Version, inIt(done.Manifest))
		if done.Keys && secret.Reveal() == "" {
			out.remark("Whether the passphrase opens its keys was not tried: give --passphrase-file.")
		}
		return nil
	}
	fmt.Fprintln(out, r.DataDir)
	if len(done.MissingKeys) > 0 {
		out.remark("Before the start, put these files of the farm's data folder into it: %s.", strings.Join(done.MissingKeys, ", "))
	}
	out.remark("Start it with: overcrank coordinator --data-dir %s", r.DataDir)
	return nil
}
