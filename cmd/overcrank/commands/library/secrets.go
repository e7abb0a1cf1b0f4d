package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/terminal"
)

// Secrets are the commands below overcrank secrets.
type Secrets struct {
	List      secretsList      `cmd:"" default:"withargs" help:"List the names of the team's secrets."`
	Set       secretsSet       `cmd:"" help:"Set a secret, which jobs use as $${secrets.NAME}."`
	Restrict  secretsRestrict  `cmd:"" help:"Choose the machines that get a secret."`
	Delete    secretsDelete    `cmd:"" help:"Delete secrets."`
	RotateKey secretsRotateKey `cmd:"" help:"Encrypt all secrets of the farm with a new key."`
}

type secretsList struct{ remote.Flags }

func (l secretsList) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	list, err := c.Secrets(ctx)
	return l.Print(out, list, err, func() error {
		t := terminal.NewTable("SECRET", "NAME", "SET", "MACHINES")
		for _, s := range list.Items {
			t.Row(s.ID, s.Name, terminal.LocalTime(s.CreatedAt), secretMachines(s))
		}
		return out.List(t, "No secrets. Keep one with: overcrank secrets set NAME")
	})
}

// secretMachines says which machines get a secret.
func secretMachines(s client.Secret) string {
	if len(s.MachineTags) == 0 {
		return "all"
	}
	return "tagged " + strings.Join(s.MachineTags, " or ")
}

type secretsSet struct {
	Name string `arg:"" help:"Name of the secret."`
	remote.Flags
	FromFile string `help:"File that holds the value, to its last byte but for one line break at the end." type:"existingfile"`
	// MachineTag says which machines get it, see secretsRestrict.
	MachineTag []string `help:"Give the secret only to machines with this tag; may be repeated. With --replace, the default is what the old secret had." placeholder:"TAG"`
	Replace    bool     `help:"If the name is taken, delete the old secret first. Jobs that start in between fail."`
}

func (secretsSet) Help() string {
	return `The value is asked for without being shown, read from standard input, or from a file. It is no argument because arguments stand in the
shell's history and are seen by everyone on the machine who lists its processes.

    overcrank secrets set S3_KEY
    vault read -field=key storage | overcrank secrets set S3_KEY
    overcrank secrets set S3_KEY --from-file key.txt`
}

func (s secretsSet) Run(ctx context.Context, out *terminal.Output) error {
	c, err := s.Client()
	if err != nil {
		return err
	}
	value, err := s.value(out)
	if err != nil {
		return err
	}
	secret, err := c.SetSecret(ctx, s.Name, value, s.MachineTag)
	var refused *client.Error
	if errors.As(err, &refused) && refused.Code == client.SecretExists {
		if !s.Replace {
			return fmt.Errorf("%w (--replace sets it anew)", err)
		}
		old, err := findSecret(ctx, c, s.Name)
		if err != nil {
			return err
		}
		if err := c.DeleteSecret(ctx, old.ID); err != nil {
			return fmt.Errorf("delete the old secret: %w", err)
		}
		if len(s.MachineTag) == 0 {
			s.MachineTag = old.MachineTags
		}
		if secret, err = c.SetSecret(ctx, s.Name, value, s.MachineTag); err != nil {
			return fmt.Errorf("the old secret is deleted, but the new one is not kept: %w", err)
		}
	} else if err != nil {
		return err
	}
	if s.JSON {
		return out.Answer(secret.JSON())
	}
	fmt.Fprintln(out, secret.ID)
	out.Remark("Use it as ${secrets.%s}", secret.Name)
	return nil
}

// value gets the secret itself.
func (s secretsSet) value(out *terminal.Output) (string, error) {
	var raw []byte
	var err error
	switch stdin := int(os.Stdin.Fd()); {
	case s.FromFile != "":
		raw, err = os.ReadFile(s.FromFile)
	case term.IsTerminal(stdin):
		fmt.Fprintf(out.Errors, "Value of %s (not shown): ", s.Name)
		raw, err = term.ReadPassword(stdin)
		fmt.Fprintln(out.Errors)
	default:
		raw, err = io.ReadAll(os.Stdin)
	}
	if err != nil {
		return "", fmt.Errorf("read the value: %w", err)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	if value == "" {
		return "", exit.Usagef("the value of %s is empty", s.Name)
	}
	return value, nil
}

func findSecret(ctx context.Context, c *client.Client, ref string) (client.Secret, error) {
	list, err := c.Secrets(ctx)
	if err != nil {
		return client.Secret{}, err
	}
	return remote.Pick(list.Items, "secret", ref)
}

type secretsRestrict struct {
	Secret string `arg:"" help:"Name or id of the secret." complete:"secret"`
	remote.Flags
	MachineTag []string `help:"Give the secret only to machines with this tag; may be repeated." placeholder:"TAG" xor:"machines"`
	All        bool     `help:"Give it to all machines again." xor:"machines"`
}

func (secretsRestrict) Help() string {
	return `The tags that count are those that operators give machines (overcrank agents tag); tags that a machine claims for itself do not.
A job that uses the secret waits for a machine with one of the tags, and "overcrank jobs why" says so.

    overcrank secrets restrict S3_KEY --machine-tag vault
    overcrank secrets restrict S3_KEY --all`
}

func (b secretsRestrict) Run(ctx context.Context, out *terminal.Output) error {
	if len(b.MachineTag) == 0 && !b.All {
		return exit.Usagef("say which machines get the secret: --machine-tag TAG, or --all")
	}
	c, err := b.Client()
	if err != nil {
		return err
	}
	found, err := findSecret(ctx, c, b.Secret)
	if err != nil {
		return err
	}
	secret, err := c.RestrictSecret(ctx, found.ID, b.MachineTag)
	return b.Print(out, secret, err, func() error {
		_, err = fmt.Fprintf(out, "%s goes to machines: %s\n", secret.Name, secretMachines(secret))
		return err
	})
}

type secretsDelete struct {
	Secrets []string `arg:"" name:"secret" help:"Names or ids of the secrets." complete:"secret"`
	remote.Farm
}

func (d secretsDelete) Run(ctx context.Context, out *terminal.Output) error {
	c, err := d.Client()
	if err != nil {
		return err
	}
	return remote.DeleteAll(d.Secrets, "deleted", out,
		func(ref string) (string, error) { return remote.Find(ctx, "secret", ref, c.Secrets) },
		func(id string) error { return c.DeleteSecret(ctx, id) })
}

type secretsRotateKey struct {
	remote.Flags
	DropOld bool `help:"Delete the keys that no secret uses any more. Backups from before cannot be read without them."`
}

func (r secretsRotateKey) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	rotated, err := c.RotateSecretKey(ctx, r.DropOld)
	return r.Print(out, rotated, err, func() error {
		_, err = fmt.Fprintf(out, "%s sealed with key %s; the farm has %s\n", terminal.Plural(rotated.Resealed, "secret"), rotated.Key, terminal.Plural(len(rotated.Keys), "key"))
		return err
	})
}
