// Package backups has the commands that keep a farm in a file and bring it back: backup, restore and downgrade.
package backups

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator/backup"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// Backup is overcrank backup: a running farm in one file.
type Backup struct {
	File string `arg:"" help:"File to write." type:"path"`
	passphraseFlag
	WithoutKeys bool `help:"Leave the farm's keys out. Restoring then needs farm.key, ca.key, ca.crt and secrets.key of a data folder, kept apart." xor:"keys"`
	WithFiles   bool `help:"Take the farm's files in too: templates, results, logs, pictures."`
	Replace     bool `help:"Write over a file that is there."`
	remote.Flags
}

// passphraseFlag says what the farm's keys are sealed with in a backup.
type passphraseFlag struct {
	PassphraseFile string `help:"File with the passphrase that seals the farm's keys, in one line." type:"existingfile" env:"OVERCRANK_PASSPHRASE_FILE" xor:"keys"`
}

// passphrase reads it; "" without a file.
func (p passphraseFlag) passphrase() (farm.Confidential, error) {
	if p.PassphraseFile == "" {
		return farm.Confidential{}, nil
	}
	text, err := os.ReadFile(p.PassphraseFile)
	if err != nil {
		return farm.Confidential{}, fmt.Errorf("read the passphrase: %w", err)
	}
	secret := farm.NewConfidential(strings.TrimRight(string(text), "\r\n"))
	if err := backup.CheckPassphrase(secret); err != nil {
		return farm.Confidential{}, exit.Usagef("%s: %w", p.PassphraseFile, err)
	}
	return secret, nil
}

// Help is what stands below the flags.
func (Backup) Help() string {
	return `The farm goes on working; all that was acknowledged before the command is in the backup. The file is checked while it is written, and is there
only when it is whole. Whoever has it and the passphrase has the farm: keep the two apart, and neither on the coordinators.

    overcrank backup /backups/farm.ocbackup --passphrase-file /root/farm-backup.pass
    overcrank restore /backups/farm.ocbackup --check --passphrase-file /root/farm-backup.pass`
}

// Run backs a farm up.
func (b Backup) Run(ctx context.Context, out *terminal.Output) error {
	if b.PassphraseFile == "" && !b.WithoutKeys {
		return exit.Usagef("give --passphrase-file: it seals the keys without which a restored farm knows neither its machines nor its secrets; or --without-keys, when those files are kept elsewhere")
	}
	secret, err := b.passphrase()
	if err != nil {
		return err
	}
	if _, err := os.Stat(b.File); err == nil && !b.Replace {
		return exit.Usagef("%s is there already; give another name, or --replace", b.File)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	c, err := b.Client()
	if err != nil {
		return err
	}
	made, err := b.fetch(ctx, c, secret, out)
	if err != nil {
		return fmt.Errorf("back up the farm to %s: %w", b.File, err)
	}
	if made.ID != "" { // a farm of an earlier release remembers none
		if _, err := c.BackupChecked(ctx, made.ID); err != nil {
			out.Remark("The backup is whole, but the farm could not note that it was checked: %v", err)
		}
	}
	if b.JSON {
		return out.JSON(made)
	}
	fmt.Fprintln(out, b.File)
	out.Remark("The farm %s at change %d, %s. %s", made.Farm, made.Index, wording.Size(made.Bytes), inIt(made.Manifest))
	return nil
}

// backupMade is what --json prints of a backup.
type backupMade struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the file
	backup.Manifest
}

// fetch writes the backup, reading it as restoring would.
func (b Backup) fetch(ctx context.Context, c *client.Client, secret farm.Confidential, out *terminal.Output) (made backupMade, err error) {
	made.File = b.File
	err = durable.Write(b.File, 0o600, func(w io.Writer) error {
		content, err := c.Backup(ctx, client.BackupWish{Passphrase: secret.Reveal(), WithoutKeys: b.WithoutKeys, Files: b.WithFiles, Place: backup.PlaceHere(b.File)})
		if err != nil {
			return err
		}
		defer content.Close()
		bar := out.Bar("backing up")
		defer bar.End()
		hash, size := sha256.New(), &counter{}
		made.Manifest, err = backup.Read(io.TeeReader(content, io.MultiWriter(w, hash, size)), secret, &looker{bar: bar})
		made.Bytes, made.SHA256 = size.n, hex.EncodeToString(hash.Sum(nil))
		if errors.Is(err, backup.ErrTruncated) {
			return fmt.Errorf("the farm broke off, its log says why; nothing was kept: %w", err)
		}
		return err
	})
	return made, err
}

// inIt says what a backup holds besides the state.
func inIt(m backup.Manifest) string {
	text := "Its keys are not in it: keep farm.key, ca.key, ca.crt and secrets.key of a coordinator's data folder apart from it."
	if m.Keys {
		text = "Its keys are in it, sealed with the passphrase."
	}
	if !m.Files {
		text += " Its files are not in it."
	}
	return text
}

// looker is a sink that keeps nothing and moves a bar.
type looker struct{ bar *terminal.Bar }

func (*looker) Begin(backup.Manifest) error               { return nil }
func (*looker) Keys(map[string][]byte) error              { return nil }
func (*looker) File(_ string, _ int64, _ io.Reader) error { return nil }

func (l *looker) State(size int64, r io.Reader) error {
	_, err := io.Copy(io.Discard, &moving{r: r, total: size, bar: l.bar})
	return err
}

// moving moves a bar with what is read.
type moving struct {
	r           io.Reader
	done, total int64
	bar         *terminal.Bar
}

func (m *moving) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.done += int64(n)
	m.bar.Bytes(m.done, m.total)
	return n, err
}

// counter counts what is written to it, in bytes.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
